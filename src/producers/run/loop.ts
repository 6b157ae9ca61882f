// The loop: what comes next follows from what is recorded; it is done and recorded, and so on until nothing is left. Stopped
// at any moment, whoever begins again is where it was.
import { retried } from '../proposals/errored.ts';
import type { InHand } from './at.ts';
import type { Journal } from './journal.ts';
import { type Course, nextStep, type Step } from './next.ts';
import { complete, completeStage } from './steps/complete.ts';
import { evaluate } from './steps/evaluate.ts';
import { gather } from './steps/gather.ts';
import { adopt, propose, show } from './steps/propose.ts';
import { type About, adoptFirst, start, startStage } from './steps/start.ts';
import { summarise } from './steps/summarise.ts';
import { train } from './steps/train.ts';
import type { Decision } from './writing.ts';

export interface Looping {
  readonly journal: Journal;
  readonly course: Course;
  readonly about: About;
  /** All that steps are given, but for the history, which grows. */
  readonly at: Omit<InHand, 'history'>;
}

/** Where it came to: the end, or a person who is to decide. */
export type Ended = 'completed' | 'waiting';

/** Aborting throws the signal's reason; what was recorded stays. `until` ends it before a step. */
export async function loop(looping: Looping, until: (step: Step) => boolean = () => false): Promise<Ended> {
  const { journal, course, at } = looping;
  for (;;) {
    at.signal.throwIfAborted();
    const step = nextStep(journal.history, course);
    if (step === null) return 'completed';
    if (step.do === 'wait' || until(step)) return 'waiting';
    await at.check();
    await at.tell({ kind: 'step', step });
    const decision = await again(step, { ...at, history: journal.history }, looping.about);
    // Where somebody else wrote into the stream in between, what comes next is asked again.
    const isWritten = await journal.append(decision);
    if (isWritten) await at.tell({ kind: 'decided', decision, history: journal.history });
  }
}

/** With --on-error retry a step is tried again where what it failed for may pass in a moment. */
async function again(step: Exclude<Step, { do: 'wait' }>, at: InHand, about: About): Promise<Decision> {
  const { settings, signal, clock } = at;
  if (settings.onError !== 'retry') return await taken(step, at, about);
  const onRetry = async (why: string, seconds: number): Promise<void> =>
    await at.tell({ kind: 'retrying', why, seconds });
  return await retried(async () => await taken(step, at, about), { signal, clock, onRetry });
}

function taken(step: Exclude<Step, { do: 'wait' }>, at: InHand, about: About): Promise<Decision> | Decision {
  switch (step.do) {
    case 'start':
      return start(at, about);
    case 'adopt-first':
      return adoptFirst(at);
    case 'start-stage':
      return startStage(at, step.stage);
    case 'train':
      return train(at, step.stage, about);
    case 'evaluate':
      return evaluate(at, step.stage, step.evaluation);
    case 'gather':
      return gather(at, step.stage);
    case 'summarise':
      return summarise(at, step.stage, step.module);
    case 'complete-stage':
      return completeStage(at, step.stage);
    case 'show':
      return show(at, step.stage);
    case 'propose':
      return propose(at, step.stage);
    case 'adopt':
      return adopt(at, step.stage);
    case 'complete':
      return complete(at);
  }
}

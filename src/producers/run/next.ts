// What a run does next: it follows from what is recorded and from nothing else. Each step appends to the run's stream what
// it came to, and is not taken again once that is there.
import type { TypeName } from '../../../schemas/catalogue.ts';
import type { RunHistory, StageHistory } from '../history/run-history.ts';
import { idOf } from './ids.ts';

/** What a run was asked for, as far as the order of its steps depends on it. */
export interface Course {
  readonly stages: number;
  /** Names of what is evaluated after each training, in order. */
  readonly evaluations: readonly string[];
  /** Modules that are summed up, in order. */
  readonly summaries: readonly string[];
  /** Whether its engineer is shown a context. */
  readonly hasContext: boolean;
  /** A person decides between stages, and the run waits for it. */
  readonly isByHand: boolean;
  /** Where its engineer cannot answer, the configuration stays; else it is asked until it does. */
  readonly keepsOnError: boolean;
}

export type Step =
  | { readonly do: 'start' }
  | { readonly do: 'adopt-first' }
  | { readonly do: 'start-stage'; readonly stage: number }
  | { readonly do: 'train'; readonly stage: number }
  | { readonly do: 'evaluate'; readonly stage: number; readonly evaluation: string }
  | { readonly do: 'gather'; readonly stage: number }
  | { readonly do: 'summarise'; readonly stage: number; readonly module: string }
  | { readonly do: 'complete-stage'; readonly stage: number }
  | { readonly do: 'show'; readonly stage: number }
  | { readonly do: 'propose'; readonly stage: number }
  | { readonly do: 'wait'; readonly stage: number }
  | { readonly do: 'adopt'; readonly stage: number }
  | { readonly do: 'complete' };

/** Null where everything is done. */
export function nextStep(history: RunHistory, course: Course): Step | null {
  if (history.completed !== null) return null;
  if (history.started === null) return { do: 'start' };
  if (history.initial === null) return { do: 'adopt-first' };
  const last = history.stages.at(-1);
  if (last === undefined) return { do: 'start-stage', stage: 1 };
  const { stage } = last;
  const within = stepWithin(last, course) ?? (stage < course.stages ? stepAfter(history.run, last, course) : null);
  if (within !== null) return within;
  return stage < course.stages ? { do: 'start-stage', stage: stage + 1 } : { do: 'complete' };
}

function stepWithin(history: StageHistory, { evaluations, summaries }: Course): Step | null {
  const { stage } = history;
  if (history.completed !== null) return null;
  if (history.training === null) return { do: 'train', stage };
  const evaluation = evaluations.find((name) => !history.evaluations.some(({ data }) => data.suite.name === name));
  if (evaluation !== undefined) return { do: 'evaluate', stage, evaluation };
  if (history.sealed === null) return { do: 'gather', stage };
  const module = summaries.find((name) => !history.summaries.some(({ data }) => data.module === name));
  if (module !== undefined) return { do: 'summarise', stage, module };
  return { do: 'complete-stage', stage };
}

/**
 * Between a stage and the next: one question, one answer, one decision. What was asked by hand beside it has no part in
 * that: the run's own question is the first of its kind.
 */
function stepAfter(run: string, history: StageHistory, course: Course): Step | null {
  const { hasContext, isByHand, keepsOnError } = course;
  const { stage } = history;
  const isOwn = (type: TypeName, events: readonly { readonly id: string }[]): boolean =>
    events.some(({ id }) => id === idOf(run, { type, stage, index: 0 }));
  if (history.adopted !== null) return null;
  if (isOwn('ProposalRecorded', history.proposals)) return { do: 'adopt', stage };
  if (isOwn('ProposalRejected', history.rejections)) return { do: 'adopt', stage };
  if (keepsOnError && isOwn('ProposalErrored', history.errors)) return { do: 'adopt', stage };
  if (hasContext && !isOwn('ContextRecorded', history.contexts)) return { do: 'show', stage };
  return isByHand ? { do: 'wait', stage } : { do: 'propose', stage };
}

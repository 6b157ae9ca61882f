// Runs for comparisons, written by hand: each names what matters and shares the rest.
import type { EventData } from '../../../../schemas/catalogue.ts';
import { sha256 } from '../../../ledger/identity/ids.ts';
import {
  addDecision,
  addStage,
  descriptorOf,
  evenly,
  type Knobs,
  Recording,
  sizes,
} from '../../history/testing/recording.ts';

export interface RunMade {
  readonly name: string;
  readonly seed?: number;
  readonly engineer?: string;
  /** Of a hundred tries in each family, after each stage. */
  readonly valid: readonly Knobs[];
  /** What else RunStarted says. */
  readonly started?: Partial<EventData['RunStarted']>;
  readonly options?: Readonly<Record<string, unknown>>;
  /** What the training of each stage says of itself beside what is alike of all. */
  readonly trained?: EventData['TrainingRecorded'];
  /** False: its last stage is not over. */
  readonly isOver?: boolean;
}

/** As good in every family. */
export function evenlyValid(count: number): Knobs {
  return Object.fromEntries(sizes.map((family) => [family, count]));
}

export function runMade({
  name,
  seed = 1,
  engineer = 'rules',
  valid,
  started,
  options,
  trained = {},
  isOver = true,
}: RunMade): Recording {
  const recording = new Recording(name);
  recording.add('RunStarted', null, {
    name,
    environment: { name: 'lake', version: '1' },
    descriptor: descriptorOf(sizes),
    options: { engineer, seed, stages: valid.length, context: 'combined', ...options },
    seed,
    policy: { name: 'neural', version: '1' },
    trainer: { name: 'grpo' },
    engineer: { name: engineer },
    contextForm: { name: 'combined', modules: ['failures'] },
    budget: { 'agent-steps': 400_000 },
    stages: valid.length,
    ...started,
  });
  addStages(recording, valid, 1, isOver, trained);
  return recording;
}

function addStages(
  recording: Recording,
  valid: readonly Knobs[],
  first: number,
  isOver = true,
  trained: EventData['TrainingRecorded'] = {},
): void {
  const knobs = evenly(sizes);
  valid.forEach((counts, i) => {
    const stage = first + i;
    if (stage > 1) addDecision(recording, stage - 1, { knobs });
    if (i < valid.length - 1 || isOver)
      addStage(recording, stage, { knobs, valid: counts, failures: {}, signal: 0.5, trained });
    else {
      recording.add('StageStarted', stage, {});
      recording.add('TrainingRecorded', stage, {});
    }
  });
}

export function startedIn({ sent }: Recording): EventData['RunStarted'] {
  return sent[0]?.event.data as EventData['RunStarted'];
}

/** Goes on after the first stage, and gets better. */
export function forkOf(parent: Recording, name: string, started: Partial<EventData['RunStarted']> = {}): Recording {
  const { descriptor: _, ...alike } = startedIn(parent);
  const revision = parent.sent.findIndex(({ event }) => event.type === 'StageCompleted');
  const forked = new Recording(name);
  const from = { run: parent.run, stage: 1, revision, digest: sha256('whatever') };
  forked.add('RunStarted', null, { ...alike, ...started, name, parent: from });
  addStages(forked, [evenlyValid(90)], 2);
  return forked;
}

// How good a policy is on suites or on tasks of somebody's own, for any environment. Rollouts come as they are judged, for
// whoever records them; what they add up to comes at the end. However many there are, none is kept here.
import { setImmediate } from 'node:timers/promises';
import type { EventData } from '../../../schemas/catalogue.ts';
import { wideInteger } from '../../../schemas/primitives.ts';
import type { Environment, Seed } from '../environments/environment.ts';
import type { Task } from '../environments/task.ts';
import type { Planned, Policy } from '../policies/policy.ts';
import { confidence } from '../statistics/wilson.ts';
import { EndedEarly, OutOfOrder } from './errors.ts';
import { type Evaluated, judged } from './judged.ts';
import { type Opened, openSubject, type Placed, type Subject } from './subject.ts';
import { Tally } from './tally.ts';

/** The data of EvaluationRecorded. */
export type Evaluation = EventData['EvaluationRecorded'];

export type EvaluateRequest = Subject & {
  /** How often each task is tried; 1 unless told otherwise. */
  readonly samples?: number;
  readonly greedy?: boolean;
  readonly seed: Seed;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
};

export interface Progress {
  /** Tries that are over. */
  readonly rollouts: number;
  /** How many there will be, where that is known. */
  readonly of: number | null;
}

/** So many rollouts are made before others, a signal perhaps, have their turn. */
const breath = 64;

/**
 * Throws UnknownSuite before anything is tried, what environment and policy throw, and the signal's reason. Whoever stops
 * reading in the middle has nothing more tried.
 */
export async function* evaluate(
  environment: Environment,
  policy: Policy,
  request: EvaluateRequest,
): AsyncGenerator<Evaluated, Evaluation, undefined> {
  const { samples = 1, greedy = false, seed, signal, onProgress } = request;
  signal?.throwIfAborted();
  const subject = await openSubject(environment, request);
  const places = new Places(samples);
  const plans = policy.plan({ tasks: places.tasks(subject, signal), samples, greedy, seed, ...signalled(signal) });
  const tally = new Tally(environment.descriptor);
  const of = subject.size === null ? null : subject.size * samples;
  let rollouts = 0;
  for await (const { planned, verdict } of judged(environment, plans, signal)) {
    const { task, conditions } = places.placeOf(planned);
    tally.add(task, conditions, planned, verdict);
    rollouts += 1;
    onProgress?.({ rollouts, of });
    yield { planned, verdict, conditions };
    if (rollouts % breath === 0) await setImmediate();
  }
  if (samples > 0) places.requireAll(rollouts);
  return {
    suite: subject.told(),
    split: subject.split,
    policy: policy.component,
    checkpoint: policy.checkpoint,
    ...(wideInteger.safeParse(seed).success ? { seed } : {}),
    samples,
    decoding: { greedy: greedy && policy.canBeGreedy !== false },
    ...tally.told(),
    interval: { method: 'wilson', level: confidence },
  };
}

function signalled(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/** Which cell a plan belongs to: plans come in the order of tasks and samples, and a policy takes a bounded number ahead. */
class Places {
  readonly #samples: number;
  readonly #ahead: Placed[] = [];
  #isTaken = false;

  constructor(samples: number) {
    this.#samples = samples;
  }

  async *tasks(subject: Opened, signal: AbortSignal | undefined): AsyncGenerator<Task, void, undefined> {
    for await (const placed of subject.tasks(signal)) {
      if (this.#samples > 0) this.#ahead.push(placed);
      yield placed.task;
    }
    this.#isTaken = true;
  }

  placeOf({ task, sample }: Planned): Placed {
    const [first] = this.#ahead;
    if (first === undefined || first.task.id !== task.id) throw new OutOfOrder(task.id, first?.task.id ?? null);
    if (sample === this.#samples - 1) this.#ahead.shift();
    return first;
  }

  /** Throws EndedEarly where a task was not tried as often as it was to be. */
  requireAll(rollouts: number): void {
    if (!this.#isTaken || this.#ahead.length > 0) throw new EndedEarly(rollouts, this.#ahead[0]?.task.id ?? null);
  }
}

// How good a policy is on suites or on tasks of somebody's own, for any environment. Rollouts come as they are judged, for
// whoever records them; what they add up to comes at the end. However many there are, none is kept here.
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { EventData } from '../../../schemas/catalogue.ts';
import { wideInteger } from '../../../schemas/primitives.ts';
import {
  type Environment,
  type Seed,
  type Split,
  type Suite,
  type Task,
  taskDigest,
} from '../environments/environment.ts';
import type { Planned, Policy } from '../policies/policy.ts';
import { confidence } from '../statistics/distributions.ts';
import { EndedEarly, type Evaluated, judged, OutOfOrder } from './judged.ts';
import { type Conditions, Tally } from './tally.ts';

/** The data of EvaluationRecorded. */
export type Evaluation = EventData['EvaluationRecorded'];

/** What is to be evaluated, and how. */
export type EvaluateRequest = Subject & {
  /** How often each task is tried; 1 unless told otherwise. */
  readonly samples?: number;
  readonly greedy?: boolean;
  readonly seed: Seed;
  readonly signal?: AbortSignal;
  /** Called after every try, with how many are over, and how many there will be where that is known. */
  readonly onProgress?: (progress: { readonly rollouts: number; readonly of: number | null }) => void;
};

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

// What a policy is evaluated on: suites of the environment, one after the other, or tasks of somebody's own. Each task comes
// with what tells its cell from others of its family.

/** Tasks of somebody's own. */
export interface Pool {
  readonly name: string;
  readonly split: Split;
  readonly tasks: Iterable<Task> | AsyncIterable<Task>;
  /** What it was generated with. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** What a policy is evaluated on: suites of the environment, or tasks. */
export type Subject =
  | { readonly suites: readonly [string, ...string[]]; readonly tasks?: never }
  | { readonly tasks: Pool; readonly suites?: never };

interface Placed {
  readonly task: Task;
  readonly conditions: Conditions;
}

/** A subject, opened: its tasks can be taken once, and described when they are. */
interface Opened {
  readonly split: Split;
  /** How many tasks there are, where that is known before. */
  readonly size: number | null;
  tasks(signal?: AbortSignal): AsyncGenerator<Placed, void, undefined>;
  /** What was gone by so far, as events name it. */
  told(): EventData['EvaluationRecorded']['suite'];
}

/** Throws UnknownSuite before anything is tried. */
async function openSubject(environment: Environment, { suites, tasks }: Subject): Promise<Opened> {
  return suites === undefined ? ofPool(tasks) : await ofSuites(environment, [...new Set(suites)]);
}

function ofPool({ name, split, tasks, parameters }: Pool): Opened {
  const digest = new RunningDigest();
  return {
    split,
    size: Array.isArray(tasks) ? tasks.length : null,
    async *tasks() {
      for await (const task of tasks) {
        digest.add(task);
        yield { task, conditions: task.conditions ?? {} };
      }
    },
    told: () => ({
      name,
      digest: digest.digest(),
      tasks: digest.tasks,
      ...(parameters === undefined ? {} : { parameters }),
    }),
  };
}

async function ofSuites(environment: Environment, names: readonly string[]): Promise<Opened> {
  const listed = names.map((name) => environment.suites.find((suite) => suite.name === name));
  for (const [i, name] of names.entries()) if (listed[i] === undefined) await requireKnown(environment, name);
  const digest = new RunningDigest();
  const [only] = listed.length === 1 ? listed : [];
  return {
    split: 'test',
    size: listed.reduce<number | null>(
      (sum, suite) => (sum === null || suite === undefined ? null : sum + suite.tasks),
      0,
    ),
    async *tasks(signal?: AbortSignal) {
      for (const name of names) {
        const conditions = conditionsOf(environment.suites, name);
        for await (const task of environment.suite(name, signal)) {
          digest.add(task);
          yield { task, conditions };
        }
      }
    },
    told: () => ({
      name: names.join('+'),
      digest: digest.digest(),
      tasks: digest.tasks,
      ...(only?.seed === undefined ? {} : { seed: only.seed }),
      ...(only?.parameters === undefined ? {} : { parameters: only.parameters }),
      ...(names.length === 1 ? {} : { parameters: { suites: names } }),
    }),
  };
}

/** An environment may know more suites than it lists, such as smaller editions of one. */
async function requireKnown(environment: Environment, name: string): Promise<void> {
  const tasks = environment.suite(name);
  await tasks.next();
  await tasks.return([]);
}

/**
 * What tells a suite from the others of its environment: those of its parameters that differ between them, as the number
 * of agents. A seed is no such thing: it says which tasks were drawn, not what they are like. An edition of a suite,
 * NAME-of-20, is like that suite; where nothing tells suites apart, it is the name.
 */
function conditionsOf(suites: readonly Suite[], name: string): Conditions {
  const known = suites.find((suite) => suite.name === name || suite.name === name.replace(/-of-\d+$/, ''));
  const parameters = Object.entries(known?.parameters ?? {}).filter(
    (entry): entry is [string, string | number | boolean] =>
      entry[0] !== 'seed' &&
      ['string', 'number', 'boolean'].includes(typeof entry[1]) &&
      suites.some(({ parameters: others }) => others?.[entry[0]] !== entry[1]),
  );
  return parameters.length === 0 ? { suite: name } : Object.fromEntries(parameters);
}

// The digest of a suite while its tasks go by, so that nobody has to hold them: results on suites of the same digest may be
// compared for ever.

/** Of the canonical JSON of the list of the digests of the tasks, in their order. */
export class RunningDigest {
  readonly #hash = createHash('sha256');
  #tasks = 0;

  get tasks(): number {
    return this.#tasks;
  }

  add(task: Task): void {
    this.#hash.update(`${this.#tasks === 0 ? '[' : ','}"${taskDigest(task)}"`);
    this.#tasks += 1;
  }

  digest(): string {
    return this.#hash
      .copy()
      .update(this.#tasks === 0 ? '[]' : ']')
      .digest('hex');
  }
}

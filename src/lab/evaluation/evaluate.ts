// Evaluates a policy on suites or on given tasks, for any environment. Rollouts are yielded as they are judged, so that
// the caller can record them; the results come at the end. Memory use does not grow with the number of rollouts.
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

/** What to evaluate and how. */
export type EvaluateRequest = Subject & {
  /** The number of tries per task (default 1). */
  readonly samples?: number;
  readonly greedy?: boolean;
  readonly seed: Seed;
  readonly signal?: AbortSignal;
  /** Called after every try with the number of completed tries and the total, if it is known. */
  readonly onProgress?: (progress: { readonly rollouts: number; readonly of: number | null }) => void;
};

/** Yields to the event loop after this number of rollouts, so that signals are handled. */
const breath = 64;

/**
 * Throws UnknownSuite before any try, errors of the environment and the policy, and the signal's reason. If the caller
 * stops reading, no further tries are made.
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
    suite: subject.description(),
    split: subject.split,
    policy: policy.component,
    checkpoint: policy.checkpoint,
    ...(wideInteger.safeParse(seed).success ? { seed } : {}),
    samples,
    decoding: { greedy: greedy && policy.canBeGreedy !== false },
    ...tally.results(),
    interval: { method: 'wilson', level: confidence },
  };
}

function signalled(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/**
 * Finds the cell of a plan: plans come in the order of tasks and samples, and a policy reads a bounded number ahead.
 */
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

  /** Throws EndedEarly if a task has too few tries. */
  requireAll(rollouts: number): void {
    if (!this.#isTaken || this.#ahead.length > 0) throw new EndedEarly(rollouts, this.#ahead[0]?.task.id ?? null);
  }
}

// The subject of an evaluation: suites of the environment, one after the other, or given tasks, each with the
// conditions of its cell.

/** Given tasks. */
export interface Pool {
  readonly name: string;
  readonly split: Split;
  readonly tasks: Iterable<Task> | AsyncIterable<Task>;
  /** The parameters they were generated with. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** Suites of the environment, or given tasks. */
export type Subject =
  | { readonly suites: readonly [string, ...string[]]; readonly tasks?: never }
  | { readonly tasks: Pool; readonly suites?: never };

interface Placed {
  readonly task: Task;
  readonly conditions: Conditions;
}

/** An open subject: its tasks can be read once; after that it can be described. */
interface Opened {
  readonly split: Split;
  /** The number of tasks, if it is known in advance. */
  readonly size: number | null;
  tasks(signal?: AbortSignal): AsyncGenerator<Placed, void, undefined>;
  /** The tasks so far, as events describe them. */
  description(): EventData['EvaluationRecorded']['suite'];
}

/** Throws UnknownSuite before any try. */
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
    description: () => ({
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
    description: () => ({
      name: names.join('+'),
      digest: digest.digest(),
      tasks: digest.tasks,
      ...(only?.seed === undefined ? {} : { seed: only.seed }),
      ...(only?.parameters === undefined ? {} : { parameters: only.parameters }),
      ...(names.length === 1 ? {} : { parameters: { suites: names } }),
    }),
  };
}

/** An environment may support more suites than it lists, such as smaller editions. */
async function requireKnown(environment: Environment, name: string): Promise<void> {
  const tasks = environment.suite(name);
  await tasks.next();
  await tasks.return([]);
}

/**
 * What distinguishes a suite from the others of its environment: the parameters that differ between them, such as the
 * number of agents, but not the seed, which only selects the tasks. An edition NAME-of-20 has the conditions of its
 * suite; if no parameter differs, the condition is the name.
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

// Computes the digest of a suite while its tasks pass by, without storing them. Results on suites with equal digests
// are comparable.

/** Of the canonical JSON of the list of task digests, in order. */
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

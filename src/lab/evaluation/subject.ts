// What a policy is evaluated on: suites of the environment, one after the other, or tasks of somebody's own. Each task comes
// with what tells its cell from others of its family.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Environment, Split, Suite } from '../environments/environment.ts';
import type { Cell, Task } from '../environments/task.ts';
import { RunningDigest } from './running-digest.ts';

export interface Pool {
  readonly name: string;
  readonly split: Split;
  readonly tasks: Iterable<Task> | AsyncIterable<Task>;
  /** What it was generated with. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

export type Subject =
  | { readonly suites: readonly [string, ...string[]]; readonly tasks?: never }
  | { readonly tasks: Pool; readonly suites?: never };

export type Conditions = NonNullable<Cell['conditions']>;

export interface Placed {
  readonly task: Task;
  readonly conditions: Conditions;
}

/** A subject, opened: its tasks can be taken once, and described when they are. */
export interface Opened {
  readonly split: Split;
  /** How many tasks there are, where that is known before. */
  readonly size: number | null;
  tasks(signal?: AbortSignal): AsyncGenerator<Placed, void, undefined>;
  /** What was gone by so far, as events name it. */
  told(): EventData['EvaluationRecorded']['suite'];
}

/** Throws UnknownSuite before anything is tried. */
export async function openSubject(environment: Environment, { suites, tasks }: Subject): Promise<Opened> {
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
export function conditionsOf(suites: readonly Suite[], name: string): Conditions {
  const known = suites.find((suite) => suite.name === name || suite.name === name.replace(/-of-\d+$/, ''));
  const parameters = Object.entries(known?.parameters ?? {}).filter(
    (entry): entry is [string, string | number | boolean] =>
      entry[0] !== 'seed' &&
      ['string', 'number', 'boolean'].includes(typeof entry[1]) &&
      suites.some(({ parameters: others }) => others?.[entry[0]] !== entry[1]),
  );
  return parameters.length === 0 ? { suite: name } : Object.fromEntries(parameters);
}

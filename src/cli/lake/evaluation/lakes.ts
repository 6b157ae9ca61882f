// The tasks that policies are evaluated on: suites, generated lakes, or lakes from a file, which is read whole before the first
// plan.
import { closeSync, openSync, writeSync } from 'node:fs';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { parseJson } from '../../../../schemas/json-text.ts';
import type { LakeGenerated } from '../../../../schemas/lake-output.ts';
import { openLake } from '../../../../testbed/lake/environment.ts';
import { poolOf } from '../../../../testbed/lake/generator/maker.ts';
import { suites as standard, suiteNamed } from '../../../../testbed/lake/generator/suites.ts';
import { digestOf, NotAnInstance, symmetryDigestOf } from '../../../../testbed/lake/instance.ts';
import { instanceOf, lineOf } from '../../../../testbed/lake/line.ts';
import { shortageOf } from '../../../../testbed/lake/tasks.ts';
import { generation } from '../../../../testbed/lake/workers/generation.ts';
import type { GenerateRequest } from '../../../../testbed/lake/workers/pool.ts';
import { jsonText } from '../../../base/printable-json.ts';
import { counted } from '../../../base/quantity.ts';
import {
  type Environment,
  type Split,
  type Task,
  type Tasks,
  UnknownSuite,
} from '../../../lab/environments/environment.ts';
import { splitLines } from '../../../producers/intake/pieces.ts';
import type { Context } from '../../context.ts';
import { openSource } from '../../source.ts';
import { type RequestOptions, requestOf, worthTelling } from '../generate.ts';
import { type Asked, askedIn, faultIn, longestLine } from '../lines.ts';

const flushAfter = 65_536;

export class LinesFile {
  readonly #file: number;
  #waiting: string[] = [];
  #characters = 0;

  /** What was there before is written over. */
  constructor(path: string) {
    this.#file = openSync(path, 'w');
  }

  add(value: unknown): void {
    const line = `${jsonText(value)}\n`;
    this.#waiting.push(line);
    this.#characters += line.length;
    if (this.#characters >= flushAfter) this.#flush();
  }

  close(): void {
    this.#flush();
    closeSync(this.#file);
  }

  #flush(): void {
    writeSync(this.#file, this.#waiting.join(''));
    this.#waiting = [];
    this.#characters = 0;
  }
}

interface Filed {
  readonly tasks: readonly Task[];
  readonly split: Split;
}

/** Throws BadLake, which names the line, and an error where there is none. */
export async function lakesIn(context: Context, file: string): Promise<Filed> {
  const source = await openSource(context, file, [], 'lakes, one a line,');
  const tasks: Task[] = [];
  try {
    for await (const pieces of splitLines(source.bytes, longestLine)) {
      for (const asked of askedIn(pieces)) tasks.push(taskIn(asked, source.name));
    }
  } finally {
    source.close();
  }
  if (tasks.length === 0) throw new NoLakes(source.name);
  return { tasks, split: await splitOf(context, tasks) };
}

class NoLakes extends IcecoreError {
  override readonly name = 'NoLakes';

  constructor(source: string) {
    super('bad-input', `${source}: found no lake, allowed: a lake a line, as icecore lake generate prints them`, {
      facts: { source },
    });
  }
}

/** What a line says of its optimum is not relied on: whether a plan is optimal is found out. */
function taskIn(asked: Asked, source: string): Task {
  const { instance, id } = read(asked, source);
  const { id: _, ...line } = lineOf(instance);
  return {
    id,
    family: String(instance.size),
    instance: line,
    digest: digestOf(instance),
    symmetryDigest: symmetryDigestOf(instance),
    facts: { agents: instance.agents.length, holes: line.holes.length },
    conditions: { agents: instance.agents.length },
  };
}

function read(asked: Asked, source: string) {
  const refuse = (fault: Parameters<typeof faultIn>[1]): IcecoreError => {
    const { message, kind, ...facts } = faultIn(asked, fault);
    return new IcecoreError(kind, `${source}: ${message}`, { facts });
  };
  try {
    const instance = instanceOf(parsed(asked));
    return { instance, id: instance.id ?? `line-${asked.line}` };
  } catch (error) {
    if (error instanceof NotAnInstance) throw refuse({ message: error.message, facts: error.facts });
    throw error instanceof SyntaxError ? refuse(null) : error;
  }
}

function parsed({ text, fault }: Asked): unknown {
  if (fault !== null) throw new SyntaxError(fault.found);
  return parseJson(text);
}

/** Of which pool they are; where some are to train on, that is told, for a policy may know them. */
async function splitOf(context: Context, tasks: readonly Task[]): Promise<Split> {
  const splits = tasks.map(({ symmetryDigest = '' }) => poolOf(symmetryDigest));
  const trained = splits.filter((split) => split === 'train').length;
  if (trained > 0) {
    const are = trained === 1 ? 'is' : 'are';
    await context.say(`${trained} of ${counted(tasks.length, 'lake')} ${are} of the pool that policies are trained on`);
    return 'train';
  }
  return splits[0] ?? 'validation';
}

/** Fewer lakes of each size than this are made sooner than threads are started. */
const worthThreads = 50;

/** The lake, whose suites are made by so many threads, and once only: they are kept for whoever asks again. */
export function lakeOnThreads(jobs: number): Environment {
  const lake = openLake();
  const kept = new Map<string, readonly Task[]>();
  return {
    ...lake,
    async *suite(name: string, signal?: AbortSignal): Tasks {
      const known = kept.get(name);
      if (known !== undefined) {
        yield* known;
        return [];
      }
      const suite = suiteNamed(name);
      const isSmall = suite === null || suite.perSize < worthThreads;
      const tasks = isSmall ? lake.suite(name, signal) : made({ kind: 'suite', suite }, jobs, signal);
      const all: Task[] = [];
      for (;;) {
        const next = await tasks.next();
        if (next.done === true) {
          kept.set(name, all);
          return next.value;
        }
        all.push(next.value);
        yield next.value;
      }
    },
  };
}

/** Whoever stops in the middle has nothing more made. */
export async function* made(request: GenerateRequest, jobs: number, signal?: AbortSignal): Tasks {
  const lines = generation({ request, jobs }, signal ?? new AbortController().signal);
  try {
    for (;;) {
      const next = await lines.next();
      if (next.done === true) return worthTelling(request, next.value).map(shortageOf);
      for (const line of next.value) yield taskOf(parseJson(line) as LakeGenerated);
    }
  } finally {
    await lines.return([]);
  }
}

function taskOf({ id, size, holes, agents, digest, cost, needsWait }: LakeGenerated): Task {
  return {
    id,
    family: String(size),
    instance: { size, holes, agents },
    digest,
    facts: { agents: agents.length, holes: holes.length, needsWait, optimalCost: cost },
    conditions: { agents: agents.length, needsWait },
  };
}

export interface SubjectOptions {
  readonly suite?: readonly string[];
  readonly config?: string;
  readonly agents?: number;
  readonly count?: number;
  readonly split?: NonNullable<RequestOptions['split']>;
  readonly lakes?: string;
  readonly seed?: string;
}

export type Subject =
  | { readonly kind: 'suites'; readonly names: readonly [string, ...string[]] }
  | { readonly kind: 'fresh'; readonly request: Extract<GenerateRequest, { kind: 'configuration' }> }
  | { readonly kind: 'file'; readonly path: string };

export const defaultSeed = 'icecore';

const freshOptions = ['config', 'agents', 'count', 'split'] as const;

/** Without any option, all suites. */
export function subjectOf(context: Context, options: SubjectOptions): Subject {
  const fresh = freshOptions.find((option) => options[option] !== undefined);
  const given = [
    ...(options.suite === undefined ? [] : ['suite']),
    ...(options.lakes === undefined ? [] : ['lakes']),
    ...(fresh === undefined ? [] : [fresh]),
  ];
  if (given.length > 1) throw tooMuch(given);
  if (options.lakes !== undefined) return { kind: 'file', path: options.lakes };
  if (fresh === undefined)
    return { kind: 'suites', names: suitesNamed(options.suite ?? standard.map(({ name }) => name)) };
  const { suite: _, lakes: __, split = 'validation', ...others } = options;
  const request = requestOf(context, { ...others, split });
  if (request.kind !== 'configuration') throw new Error('fresh lakes come from a configuration');
  return { kind: 'fresh', request };
}

function tooMuch(given: readonly string[]): IcecoreError {
  const named = given.map((option) => `--${option}`);
  return new IcecoreError(
    'usage',
    `${named.join(' and ')}: a policy is evaluated on one of suites, fresh lakes, a file`,
    {
      facts: { found: named },
      remedy: `Leave all but one of them out.`,
    },
  );
}

/** Throws UnknownSuite, and a usage error where two have lakes in common: those would count twice. */
function suitesNamed(words: readonly string[]): readonly [string, ...string[]] {
  const names = [...new Set(words)];
  const bySeed = new Map<string, string>();
  for (const name of names) {
    const suite = suiteNamed(name);
    if (suite === null) {
      const known = standard.map((one) => one.name);
      throw new UnknownSuite('lake', name, known);
    }
    const other = bySeed.get(suite.seed);
    if (other !== undefined) {
      throw new IcecoreError('usage', `--suite: ${name} and ${other} have lakes in common, which would count twice`, {
        facts: { field: '--suite', found: [other, name] },
        remedy: 'Leave one of them out.',
      });
    }
    bySeed.set(suite.seed, name);
  }
  return names as [string, ...string[]];
}

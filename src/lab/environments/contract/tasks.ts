// The contract: tasks for a configuration, a split, a count and a seed.

import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../../schemas/canonical.ts';
import { adjusted } from '../configuration.ts';
import {
  digestOf,
  type Environment,
  type GenerateRequest,
  isSpoilt,
  type Judged,
  type ProbeRequest,
  type Shortage,
  type Task,
  type Tasks,
  taskDigest,
  UnknownSuite,
  type Verdict,
} from '../environment.ts';
import { withKnob } from '../knobs.ts';

export function generating(bench: Bench): void {
  describe('generating tasks', () => {
    const request = (change: Partial<GenerateRequest> = {}): GenerateRequest => ({
      configuration: bench.environment().start,
      split: 'train',
      count: bench.many,
      seed: 'first',
      ...change,
    });

    it('the same request gives the same tasks in the same order, in every instance', async () => {
      const once = await collected(bench.environment().generate(request()));
      const again = await collected(bench.environment().generate(request()));
      const elsewhere = await collected((await bench.another()).generate(request()));
      expect(again).toEqual(once);
      expect(elsewhere).toEqual(once);
    });

    it('another seed or split gives other tasks', async () => {
      const digests = async (change: Partial<GenerateRequest>): Promise<string[]> =>
        (await collected(bench.environment().generate(request(change)))).tasks.map(({ instance }) =>
          digestOf(instance),
        );
      const first = await digests({});
      expect(await digests({ seed: 'second' })).not.toEqual(first);
      expect(await digests({ split: 'validation' })).not.toEqual(first);
    });

    it('gives the requested number, or reports shortages', async () => {
      for (const count of [0, 1, bench.many]) {
        const { tasks, shortages } = await collected(bench.environment().generate(request({ count, split: 'test' })));
        expect(tasks.length + missingIn(shortages)).toBe(count);
        for (const { asked, achieved, says } of shortages) {
          expect(achieved).toBeLessThan(asked);
          expect(says).not.toBe('');
        }
      }
    });

    it('gives each task a unique id, a known family, and consistent facts', async () => {
      const { descriptor } = bench.environment();
      const { tasks } = await collected(bench.environment().generate(request()));
      const families = descriptor.families.map(({ family }) => family);
      const known = descriptor.facts?.map(({ fact }) => fact);
      expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
      for (const task of tasks) {
        expect(families).toContain(task.family);
        for (const value of Object.values(task.facts)) expect(typeof value).toMatch(/^(number|boolean)$/);
        if (known !== undefined) expect(known).toEqual(expect.arrayContaining(Object.keys(task.facts)));
      }
    });

    it('gives digests that match the tasks', async () => {
      const { tasks } = await collected(bench.environment().generate(request()));
      for (const { digest, instance } of tasks) expect(digest ?? digestOf(instance)).toBe(digestOf(instance));
    });

    it('gives tasks that survive serialisation', async () => {
      const { tasks } = await collected(bench.environment().generate(request()));
      expect(JSON.parse(JSON.stringify(tasks))).toEqual(tasks);
    });

    it('interleaved generators do not affect each other', async () => {
      const alone = await collected(bench.environment().generate(request()));
      const other = await collected(bench.environment().generate(request({ seed: 'second' })));
      const both = await byTurns(bench.environment(), request(), request({ seed: 'second' }));
      expect(both).toEqual([alone.tasks, other.tasks]);
    });
  });
}

async function byTurns(environment: Environment, ...requests: GenerateRequest[]): Promise<unknown[][]> {
  const running = requests.map((request) => ({ tasks: environment.generate(request), all: [] as unknown[] }));
  for (let open = running.length; open > 0; ) {
    open = running.length;
    for (const { tasks, all } of running) {
      const next = await tasks.next();
      if (next.done === true) open -= 1;
      else all.push(next.value);
    }
  }
  return running.map(({ all }) => all);
}

// The contract: pools of cells, which are the probe pool and the suites.

export function probing(bench: Bench): void {
  if (bench.lacks?.includes('probe')) {
    it('an unsupported probe pool is refused', async () => {
      const { start, probe } = bench.environment();
      const request = { configuration: start, split: 'probe', perCell: 1, seed: 'a' } as const;
      await expect(probe(request).next()).rejects.toMatchObject({ kind: 'unsupported' });
    });
  } else {
    describe('the probe pool', () => probePool(bench));
  }
  describe('suites', () => suites(bench));
}

function probePool(bench: Bench): void {
  const pool = (change: Partial<ProbeRequest> = {}): Promise<Collected> => {
    const { start, probe } = bench.environment();
    return collected(probe({ configuration: start, split: 'probe', perCell: 2, seed: 'a', ...change }));
  };

  it('has tasks of every family, the same number for every cell, or reports shortages', async () => {
    const { tasks, shortages } = await pool();
    const { families } = bench.environment().descriptor;
    expect(new Set(tasks.map(({ family }) => family))).toEqual(new Set(families.map(({ family }) => family)));
    const cells = Map.groupBy(tasks, cellOf);
    const short = new Map(shortages.map(({ cell, achieved }) => [canonicalJson(cell), achieved]));
    for (const [cell, of] of cells) expect([cell, of.length]).toEqual([cell, short.get(cell) ?? 2]);
    for (const [cell, achieved] of short) expect(cells.get(cell)?.length ?? 0).toBe(achieved);
  });

  it('is the same for the same seed, and another for another seed', async () => {
    const first = await pool();
    expect(await pool()).toEqual(first);
    expect((await pool({ seed: 'b' })).tasks).not.toEqual(first.tasks);
  });

  it('does not depend on knobs of families', async () => {
    const { descriptor, start } = bench.environment();
    const hardest = descriptor.knobs
      .filter(({ family }) => family !== null)
      .reduce((all, knob) => withKnob(all, knob, knob.range.max), start);
    const { configuration } = adjusted(descriptor, hardest);
    expect(await pool({ configuration })).toEqual(await pool());
  });

  it('has no task twice', async () => {
    const { tasks } = await pool();
    expect(new Set(tasks.map(taskDigest)).size).toBe(tasks.length);
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
  });
}

function suites(bench: Bench): void {
  it('have the number of distinct tasks that they declare', async () => {
    for (const { name, tasks: count } of bench.environment().suites) {
      const { tasks, shortages } = await bench.suite(name);
      expect([name, tasks.length, shortages]).toEqual([name, count, []]);
      expect(new Set(tasks.map(taskDigest)).size).toBe(count);
      expect(new Set(tasks.map(({ id }) => id)).size).toBe(count);
    }
  });

  it('are always the same', async () => {
    const elsewhere = await bench.another();
    // Large ones take long, and are generated in the same way.
    for (const { name } of bench.environment().suites.slice(0, 2)) {
      expect((await collected(elsewhere.suite(name))).tasks).toEqual((await bench.suite(name)).tasks);
    }
  });

  it('are found by name', async () => {
    await expect(bench.environment().suite('no such suite').next()).rejects.toThrow(UnknownSuite);
  });
}

function cellOf({ family, conditions }: Task): string {
  return canonicalJson(conditions === undefined ? { family } : { family, conditions });
}

// What the fixture of an environment provides.

export interface Fixture {
  /** A new environment that shares nothing with earlier ones. */
  open(): Promise<Environment>;
  /** An answer that is a success. */
  right(task: Task): unknown;
  /** Wrong answers, as different as possible. */
  wrong(task: Task): readonly unknown[];
  /** What the environment does not support and must refuse. */
  readonly lacks?: readonly 'probe'[];
  /** How many tasks tests may request at once: a few hundred if that is fast. */
  readonly many: number;
}

/** One environment for a whole part of the contract, and new ones where a test needs its own. */
export interface Bench extends Omit<Fixture, 'open'> {
  environment(): Environment;
  another(): Promise<Environment>;
  /** The tasks of a suite of the first environment, generated once. */
  suite(name: string): Promise<Collected>;
}

export interface Collected {
  readonly tasks: readonly Task[];
  readonly shortages: readonly Shortage[];
}

/** All items of a task generator. */
export async function collected(tasks: Tasks): Promise<Collected> {
  const all: Task[] = [];
  for (;;) {
    const next = await tasks.next();
    if (next.done === true) return { tasks: all, shortages: next.value };
    all.push(next.value);
  }
}

export async function listed<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The number of missing tasks according to the shortages. */
function missingIn(shortages: readonly Shortage[]): number {
  return shortages.reduce((sum, { asked, achieved }) => sum + asked - achieved, 0);
}

export function judgedOf(verdict: Verdict | undefined): Judged {
  if (verdict === undefined || isSpoilt(verdict)) throw new Error(`no judgement: ${JSON.stringify(verdict)}`);
  return verdict;
}

// The contract: pools laid out in cells, which are the probe pool and the suites.
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../../schemas/canonical.ts';
import { adjusted } from '../configuration.ts';
import { type ProbeRequest, type Task, taskDigest, UnknownSuite } from '../environment.ts';
import { withKnob } from '../knobs.ts';
import { type Bench, type Collected, collected } from './fixture.ts';

export function probing(bench: Bench): void {
  if (bench.lacks?.includes('probe')) {
    it('a probe pool that is not offered is refused', async () => {
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

  it('has tasks of every family, as many of every cell, or says of which there are fewer', async () => {
    const { tasks, shortages } = await pool();
    const { families } = bench.environment().descriptor;
    expect(new Set(tasks.map(({ family }) => family))).toEqual(new Set(families.map(({ family }) => family)));
    const cells = Map.groupBy(tasks, cellOf);
    const short = new Map(shortages.map(({ cell, achieved }) => [canonicalJson(cell), achieved]));
    for (const [cell, of] of cells) expect([cell, of.length]).toEqual([cell, short.get(cell) ?? 2]);
    for (const [cell, achieved] of short) expect(cells.get(cell)?.length ?? 0).toBe(achieved);
  });

  it('is the same for the same seed, and another for another', async () => {
    const first = await pool();
    expect(await pool()).toEqual(first);
    expect((await pool({ seed: 'b' })).tasks).not.toEqual(first.tasks);
  });

  it('depends on no knob of a family', async () => {
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
  it('have as many tasks as they say, different ones', async () => {
    for (const { name, tasks: count } of bench.environment().suites) {
      const { tasks, shortages } = await bench.suite(name);
      expect([name, tasks.length, shortages]).toEqual([name, count, []]);
      expect(new Set(tasks.map(taskDigest)).size).toBe(count);
      expect(new Set(tasks.map(({ id }) => id)).size).toBe(count);
    }
  });

  it('are always the same', async () => {
    const elsewhere = await bench.another();
    // Large ones take their time, and are made as the first is.
    for (const { name } of bench.environment().suites.slice(0, 2)) {
      expect((await collected(elsewhere.suite(name))).tasks).toEqual((await bench.suite(name)).tasks);
    }
  });

  it('are known by their names', async () => {
    await expect(bench.environment().suite('no such suite').next()).rejects.toThrow(UnknownSuite);
  });
}

function cellOf({ family, conditions }: Task): string {
  return canonicalJson(conditions === undefined ? { family } : { family, conditions });
}

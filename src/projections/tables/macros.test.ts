import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { wilson } from '../../lab/statistics/distributions.ts';
import { tableDefinitions } from './catalogue.ts';

async function answers(sql: string): Promise<readonly unknown[][]> {
  const instance = await DuckDBInstance.create(':memory:');
  onTestFinished(() => instance.closeSync());
  const connection = await instance.connect();
  const macros = tableDefinitions().find(({ name }) => name === 'macros');
  for (const statement of macros?.made ?? []) await connection.run(statement);
  return (await connection.runAndReadAll(sql)).getRowsJS();
}

describe('the macros', () => {
  it('compute the interval of a share like the rest of icecore', async () => {
    const counted = fc.tuple(fc.nat(2000), fc.nat(2000)).map(([a, b]) => [a, a + b] as const);
    const counts = fc.sample(
      counted.filter(([, of]) => of > 0),
      { numRuns: 300, seed: 1 },
    );
    const values = [...counts, [0, 7] as const, [7, 7] as const].map(([count, of]) => `(${count}, ${of})`).join(', ');
    for (const [count, of, low, high] of await answers(
      `SELECT c, o, wilson_low(c, o), wilson_high(c, o) FROM (VALUES ${values}) AS t(c, o)`,
    )) {
      const interval = wilson(Number(count), Number(of));
      expect(low).toBeCloseTo(interval.low, 12);
      expect(high).toBeCloseTo(interval.high, 12);
    }
  });

  it('give no interval for an invalid share', async () => {
    const none = [null, null];
    expect(
      await answers(
        'SELECT wilson_low(c, o), wilson_high(c, o) FROM (VALUES (0, 0), (3, 2), (-1, 2), (NULL, 2)) AS t(c, o)',
      ),
    ).toEqual([none, none, none, none]);
  });

  it.each([
    [1, 12.706205],
    [2, 4.302653],
    [20, 2.085963],
    [21, 2.079614],
    [60, 2.000298],
    [1000, 1.962339],
  ])('give for %i degrees of freedom a half-width of %f standard errors', async (freedom, t) => {
    expect((await answers(`SELECT student_t(${freedom})`))[0]?.[0]).toBeCloseTo(t, 5);
  });

  it('give no interval for a single value', async () => {
    expect(await answers('SELECT student_t(0), student_t(NULL)')).toEqual([[null, null]]);
  });

  it('remove the family from the name of a knob', async () => {
    expect(
      await answers(
        "SELECT knob_short_name('8.hole', '8'), knob_short_name('agents', NULL), knob_short_name('88.hole', '8')",
      ),
    ).toEqual([['hole', 'agents', '88.hole']]);
  });
});

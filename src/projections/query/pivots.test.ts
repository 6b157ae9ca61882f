import { expect, it } from 'vitest';
import { marked } from './pivots.ts';

/** The text with `^` wherever an IN would be put. */
function shown(sql: string): string | null {
  return marked(sql)?.sql.replaceAll(/ IN pivoted_\w+/g, '^') ?? null;
}

it.each([
  'PIVOT a ON b^',
  'pivot a on b^ using count(*)',
  'PIVOT a ON b^, f(c, d)^ , (e IN (1))^ GROUP BY g, h ORDER BY g LIMIT 1;',
  "PIVOT a ON b IN ('x'), c^",
  "PIVOT a ON b^ -- ON c\n USING count(*) FILTER (x = ' ON y')",
  'PIVOT a JOIN b ON a.c = b.c ON d^ USING count(*)',
  'WITH a AS (PIVOT b ON c^) PIVOT a ON d^',
  'PIVOT (PIVOT a ON b^ USING sum(c)) ON d^',
  'PIVOT a ON b^/* c */USING count(*)',
  'PIVOT a ON b^-- c\nUSING count(*)',
  'PIVOT a ON b^ UNION ALL PIVOT c ON d^ UNION SELECT * FROM e JOIN f ON g = h',
  "FROM a PIVOT (count(*) FOR b IN ('c')) p JOIN (PIVOT d ON e^) q ON p.f = q.f",
  'PIVOT a ON {b: c, d: e}.b^, [f, g][1]^',
])('%s', (sql) => {
  expect(shown(sql.replaceAll('^', ''))).toBe(sql);
});

it.each([
  'SELECT 1',
  'SELECT * FROM a JOIN b ON c',
  'PIVOT a ON b IN (1, 2) USING count(*)',
  'PIVOT a USING count(*) GROUP BY b',
  "SELECT 'PIVOT a ON b'",
  '-- PIVOT a ON b\nSELECT 1',
  'PIVOT a ON b[1]USING count(*)',
  'PIVOT a ON',
])('%s gets no IN', (sql) => {
  expect(shown(sql)).toBe(null);
});

it('finds its marks in a tree only where they are the columns of pivots', () => {
  const pivoting = marked('PIVOT a ON b, c');
  const [first = ''] = /pivoted_\w+/.exec(pivoting?.sql ?? '') ?? [];
  const column = { pivot_enum: first };
  expect(pivoting?.areReadIn([{ pivots: [column, column] }])).toBe(true);
  expect(pivoting?.areReadIn([{ pivots: [column] }])).toBe(false);
  expect(pivoting?.areReadIn([{ pivots: [column], column_names: [first] }])).toBe(false);
  expect(pivoting?.areReadIn([{ pivots: [column, column], table_name: `b IN ${first}` }])).toBe(false);
});

it('says where a byte of the marked text was', () => {
  const sql = 'PIVOT é ON b, c USING d';
  const pivoting = marked(sql);
  for (const word of ['é', 'b', 'c', 'USING', 'd']) {
    const at = Buffer.from(pivoting?.sql ?? '').indexOf(` ${word}`);
    expect(pivoting?.unmarked(at)).toBe(Buffer.from(sql).indexOf(` ${word}`));
  }
});

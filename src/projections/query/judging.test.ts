// What was judged is what DuckDB will carry out: whatever a statement with pivots is made of, DuckDB splits it into one type
// for each pivot that was seen, and one question.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readCatalogue } from './catalogue.ts';
import { judge } from './judging.ts';
import { openLocked } from './open.ts';
import { sampleTables } from './testing/tables.ts';

const pieces = [
  'PIVOT rollouts ON run ',
  'PIVOT (PIVOT rollouts ON outcome) ON stage ',
  'WITH a AS (FROM rollouts) PIVOT a ON stage ',
  'PIVOT rollouts JOIN log.stages USING (run) ON outcome ',
  'ON outcome ',
  ', stage ',
  '|| ',
  "' ON x USING '",
  "E'\\\\' ON x '",
  "E'\\' ON x ' ",
  '$$ ; ON $$ ',
  '$a$ ; $$ $a$',
  '/* ON x */',
  '/* /* */ PIVOT a ON x USING */ ',
  '-- ON x\n',
  "'",
  '*/',
  '$$',
  '; ',
  'DROP TABLE log.stages ',
  'USING count(*) ',
  'GROUP BY run ',
  'IN (1) ',
  'IN x ',
  '(',
  ') ',
  'UNION ALL ',
  'SELECT 1 ',
  '"run" ',
  '\u00a0',
];

it('a statement that is allowed holds as many pivots as were seen in it, and nothing else', async () => {
  const sample = await sampleTables(10);
  const held = await openLocked(sample.path, 100, {});
  const connection = await held.instance.connect();
  const catalogue = await readCatalogue(connection);
  let allowed = 0;
  const statement = fc.array(fc.constantFrom(...pieces), { maxLength: 5 }).map((some) => pieces[0] + some.join(''));
  await fc.assert(
    fc.asyncProperty(statement, async (sql) => {
      const judged = await judge(connection, catalogue, sql).catch(() => null);
      if (judged === null || judged.pivots === 0) return;
      allowed++;
      expect((await connection.extractStatements(judged.sql)).count).toBe(judged.pivots + 1);
    }),
    { numRuns: 400 },
  );
  expect(allowed).toBeGreaterThan(20);
  connection.closeSync();
  held.release();
  sample.remove();
});

import { expect, it } from 'vitest';
import { explainedFrom, isSeveral, withoutComments } from './words.ts';

it.each([
  ['SELECT 1', null],
  ['EXPLAIN SELECT 1', 'SELECT 1'],
  ['; explain analyze SELECT 1', 'SELECT 1'],
  ['EXPLAIN (FORMAT json, ANALYZE) SELECT 1', 'SELECT 1'],
  ['EXPLAIN /* a */ (SELECT 1)', '(SELECT 1)'],
  ['EXPLAIN -- a\n FROM x', 'FROM x'],
  ['EXPLAIN', ''],
  ['"EXPLAIN" SELECT 1', null],
])('%s explains', (sql, explained) => {
  const from = explainedFrom(sql);
  expect(from === null ? null : sql.slice(from)).toBe(explained);
});

it('what stands before an explained statement keeps its length and loses its comments', () => {
  expect(withoutComments('EXPLAIN /* ; */ analyze SELECT 1', 24)).toBe('EXPLAIN         ANALYZE ');
});

it.each([
  ['SELECT 1', false],
  [';; SELECT 1 ;; -- done', false],
  ['SELECT \';\' || $$;$$ || ";" /* ; */', false],
  ["SELECT E'\\' ; \\\\' || e''';' /* ; */", false],
  ["SELECT E'\\\\' ; '", true],
  ['SELECT 1; SELECT 2', true],
  ['SELECT 1 --;\n; x', true],
])('%s is several statements: %s', (sql, several) => {
  expect(isSeveral(sql)).toBe(several);
});

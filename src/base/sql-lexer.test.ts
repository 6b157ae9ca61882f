import { expect, it } from 'vitest';
import { endsWithinText, isSeveral, questionWord, wordsOf } from './sql-lexer.ts';

it.each([
  ['SELECT 1', 'SELECT'],
  ['EXPLAIN SELECT 1', 'SELECT'],
  ['; explain analyze select 1', 'SELECT'],
  ['EXPLAIN (FORMAT json, ANALYZE) SELECT 1', 'SELECT'],
  ['EXPLAIN /* a */ (SELECT 1)', '('],
  ['EXPLAIN -- a\n FROM x', 'FROM'],
  ['EXPLAIN /* /* */ SELECT */ ANALYZE COPY x', 'COPY'],
  ['EXPLAIN (SELECT 1) COPY x', '('],
  ['EXPLAIN', null],
  ['"EXPLAIN" SELECT 1', '"EXPLAIN"'],
  ['-- SELECT\nPRAGMA x', 'PRAGMA'],
  [' ; -- nothing', null],
])('%s begins with %s', (sql, word) => {
  expect(questionWord(wordsOf(sql))?.text ?? null).toBe(word);
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
  expect(isSeveral(wordsOf(sql))).toBe(several);
});

it.each([
  ["SELECT 'a", true],
  ["SELECT 'a''", true],
  ["SELECT 'a'''", false],
  ["SELECT E'a\\'", true],
  ['SELECT $a$ $b$', true],
  ['SELECT 1 /* /* */', true],
  ['SELECT 1 -- a', true],
  ['SELECT 1 -- a\n', false],
  ['SELECT "a', false],
  ['', false],
])('%j ends within a string or comment: %s', (sql, within) => {
  expect(endsWithinText(sql)).toBe(within);
});

// Completion offers valid continuations, and what the statement mentions comes first.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openQuestions, type Questions } from './questions.ts';
import { type Sample, sampleTables } from './testing/tables.ts';

let sample: Sample;
let questions: Questions;

beforeAll(async () => {
  sample = await sampleTables(10);
  questions = await openQuestions(sample.path, { memoryMegabytes: 100, seconds: 20 });
});
afterAll(async () => {
  await questions.close();
  sample.remove();
});

const offered = async (text: string) => (await questions.complete(text)).map(({ suggestion }) => suggestion.trim());

const ofRollouts = ['run', 'stage', 'number', 'outcome', 'text'];

it.each([
  ['SELECT * FROM ', ['rollouts', 'stage_stats']],
  ['SELECT run, FROM roll', ['rollouts']],
  ['PIVOT roll', ['rollouts']],
  ['WITH few AS (FROM rollouts) FROM fe', ['few']],
  ['FROM lo', ['log.']],
  ['SELECT ', ['run', 'stage', 'number', 'outcome', 'text', 'rollouts']],
  ['SELECT outc', ['outcome']],
  ['SELECT * FROM rollouts WHERE ', ofRollouts],
  ['SELECT run FROM rollouts GROUP BY ', ofRollouts],
  ['from ROLLOUTS select ', ofRollouts],
  ['PIVOT rollouts ON ', ofRollouts],
  ['SELECT run, rollouts FROM stage_stats ORDER BY ', ['run', 'stage', 'rollouts']],
  ['SELECT * FROM stage_stats, rollouts WHERE r', ['run', 'rollouts']],
  ['FROM log.stages WHERE f', ['family']],
  ['SELECT * FROM rollouts r JOIN stage_stats AS s ON r.', ofRollouts],
  ['SELECT * FROM rollouts r JOIN "stage_stats" AS s ON r.run = S.r', ['run', 'rollouts']],
  ['SELECT rollouts.t', ['text']],
  ['FROM log.', ['rollouts', 'stages']],
  ['FROM main.', ['rollouts', 'stage_stats']],
  ['SELECT run FROM rollouts ORDER ', ['by']],
  ['EXPLAIN a', ['analyze']],
])('%j continues with %j', async (text, suggestions) => {
  expect((await offered(text)).slice(0, suggestions.length)).toEqual(suggestions);
});

it.each(['', 'D', 'SELECT 1; d', 'c', 'EXPLAIN ', 'WITH a AS (', 'SELECT 1 ', 'SELECT run FROM rollouts '])(
  '%j continues with nothing that would be refused',
  async (text) => {
    const suggestions = await offered(text);
    for (const refused of ['delete', 'DROP', 'copy', 'create', 'call', 'set', 'attach', 'install', 'into', 'insert'])
      expect(suggestions.map((suggestion) => suggestion.toLowerCase())).not.toContain(refused.toLowerCase());
  },
);

it.each([
  'FROM read_',
  'FROM duckdb_set',
  'SELECT getenv',
  'SELECT current_set',
  'FROM information_sch',
  'SELECT nowhere.',
  "SELECT 'rollouts.",
  "SELECT * FROM '/et",
  'SELECT 1 -- rollouts.',
  'SELECT 1.',
])('%j continues with nothing', async (text) => {
  expect(await offered(text)).toEqual([]);
});

it('completion offers functions that compute, and keywords of expressions', async () => {
  expect(await offered('SELECT coun')).toEqual(['count', 'count_if', 'count_star', 'countif']);
  expect(await offered('SELECT count(*) FIL')).toEqual(['FILTER']);
  expect(await offered('SELECT ca')).toContain('cast');
});

it('a suggestion states from which character on it replaces the text', async () => {
  expect(await questions.complete('SELECT é.run FROM roll')).toEqual([{ suggestion: 'rollouts', start: 18 }]);
  expect(await questions.complete('SELECT "é", r.nu FROM rollouts r; FROM rollouts é SELECT é.nu')).toEqual([
    { suggestion: 'number', start: 59 },
  ]);
});

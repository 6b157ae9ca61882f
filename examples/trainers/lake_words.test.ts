// What trl_grpo.py tells a model and reads in its answers is what icecore tells and reads, whatever was said.
import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineOf } from '../../src/lab/lake/line.ts';
import { promptOf } from '../../src/lab/lake/prompt.ts';
import { spokenPlan } from '../../src/lab/lake/spoken-plan.ts';
import { instances } from '../../src/lab/lake/testing/arbitraries.ts';
import { withoutThoughts } from '../../src/lab/models/thoughts.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.warn('The tests of lake_words.py are skipped: install Python 3.10 or later as python3.');

/** What a function of lake_words.py makes of each of these. */
function made(by: 'prompt' | 'plan_in', of: readonly unknown[]): unknown[] {
  const program = `
import json, sys, lake_words
print(json.dumps([lake_words.${by}(one) for one in json.load(sys.stdin)]))
`;
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const options = { cwd: folder, env, input: JSON.stringify(of), encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
  return JSON.parse(execFileSync('python3', ['-c', program], options));
}

const readByIcecore = (text: string): unknown => spokenPlan(withoutThoughts(text).text);

/** What answers are made of, and what could lead a reader astray. */
const pieces = fc.constantFrom(
  ...['{"plan": ["RRD", "DWL"]}', '{"plan":', '["U", "L"]', '[[[0, 0], [0, 1]], [[2, 2]]]', '{"a": "RRD", "b": "dw"}'],
  ...[
    '{"Agent B": "L", " agent-a ": "R"}',
    '{"b": {"plan": ["U"]}, "1": {"plan": ["D"]}}',
    '{"plan": null}',
    '{"\ufeffA\xa0": "R"}',
    'a: U\nb: L\nso a: R\na: D\n',
    '"plan"',
  ],
  ...[
    'Agent a: RRD',
    'b = DWL.',
    '- **Agent b:** `DWL`',
    'a:',
    'c: U',
    '\u2003a:\ufeffRRD',
    'ſ: U',
    'a: R, R',
    '[7, 1e3]',
  ],
  ...[
    '<think>',
    '</think>',
    '<thinking>',
    '</thought>',
    '```json',
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    ':',
    ',',
    '["U", NaN]',
    '-0',
  ],
  ...[
    '\n',
    '\n',
    ' ',
    '\r',
    '\t',
    '\x1c',
    'plan',
    'a',
    'U',
    '1',
    'null',
    '{"x": {"x": {"x": {"x": {"plan": ["R"]}}}}}',
  ],
);
const texts = fc.array(pieces, { maxLength: 9 }).map((parts) => parts.join(''));

describe.skipIf(!hasPython)('lake_words.py', () => {
  it('tells a model what icecore tells it', () => {
    const lakes = fc.sample(instances({ hasId: false }), { numRuns: 200, seed: 1 });
    expect(made('prompt', lakes.map(lineOf))).toEqual(lakes.map(promptOf));
  });

  it('reads in an answer the plan that icecore reads', () => {
    const said = fc.sample(texts, { numRuns: 5000, seed: 1 });
    const [theirs, ours] = [made('plan_in', said), said.map(readByIcecore)];
    const differing = said.flatMap((text, i) =>
      JSON.stringify(theirs[i]) === JSON.stringify(ours[i]) ? [] : [{ text, theirs: theirs[i], ours: ours[i] }],
    );
    expect(differing.slice(0, 5)).toEqual([]);
    expect(ours.filter((plan, i) => plan !== said[i]).length).toBeGreaterThan(1000);
  });

  it('reads no plan that works where brackets stand deeper than Python can look', () => {
    const deep = `{"plan": ["RRD"], "x": ${'['.repeat(5000)}${']'.repeat(5000)}}`;
    expect(made('plan_in', [deep, '['.repeat(50_000)])).toEqual(['', '['.repeat(50_000)]);
  });
});

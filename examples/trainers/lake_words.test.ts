// The prompts of trl_grpo.py are those of icecore.
import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineOf } from '../../testbed/lake/line.ts';
import { promptOf } from '../../testbed/lake/spoken-plan.ts';
import { instances } from '../../testbed/lake/testing/arbitraries.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.warn('The tests of lake_words.py are skipped: install Python 3.10 or later as python3.');

/** The prompts of lake_words.py. */
function pythonPrompts(lakes: readonly unknown[]): unknown[] {
  const program = `
import json, sys, lake_words
print(json.dumps([lake_words.prompt(one) for one in json.load(sys.stdin)]))
`;
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const options = { cwd: folder, env, input: JSON.stringify(lakes), encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
  return JSON.parse(execFileSync('python3', ['-c', program], options));
}

describe.skipIf(!hasPython)('lake_words.py', () => {
  it('writes the prompts that icecore writes', () => {
    const lakes = fc.sample(instances({ hasId: false }), { numRuns: 200, seed: 1 });
    expect(pythonPrompts(lakes.map(lineOf))).toEqual(lakes.map(promptOf));
  });
});

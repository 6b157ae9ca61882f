// The last line of a test run, as a script reads it that looks no further.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { root } from './nodes.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-closing-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('says what passed, and that nothing failed', () => {
  expect(lastLine(`it('a', () => {}); it('b', () => {});`)).toBe('2 passed, 0 failed');
});

it('says what failed and what was skipped', () => {
  const tests = `it('a', () => {}); it('b', () => { throw new Error('b') }); it.skip('c', () => {}); it.todo('d');`;
  expect(lastLine(tests)).toBe('1 passed, 1 failed, 2 skipped');
});

it('counts what fails a run without being a test: a file, a hook, an error nobody caught', () => {
  const hook = `describe('a', () => { beforeAll(() => { throw new Error('hook') }); it('b', () => {}); });`;
  const uncaught = `it('c', () => { Promise.reject(new Error('uncaught')); });`;
  expect(lastLine(hook, uncaught, `throw new Error('file');`)).toBe('1 passed, 3 failed, 1 skipped');
});

it('names before it what failed, with its error, and what passed only when tried again', () => {
  const tests = `let tries = 0; it('a', { retry: 1 }, () => { tries++; if (tries < 2) throw new Error('once'); });
    describe('b', () => { it('c', () => { throw new Error('always') }); });`;
  expect(linesOf(tests).slice(-5)).toEqual([
    'passed when tried again: 0.test.js > a',
    '  once',
    'failed: 0.test.js > b > c',
    '  always',
    '1 passed, 1 failed',
  ]);
});

function lastLine(...files: string[]): string | undefined {
  return linesOf(...files).at(-1);
}

function linesOf(...files: string[]): readonly string[] {
  for (const [index, tests] of files.entries()) {
    const source = `import { beforeAll, describe, it } from 'vitest';\n${tests}`;
    writeFileSync(join(folder, `${index}.test.js`), source);
  }
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', `--reporter=${join(root, 'tools/closing-line.ts')}`];
  const args = [vitest, 'run', '--root', folder, ...reporters];
  // These counts are not those of the run that this test belongs to.
  const { ICECORE_TEST_COUNTS: _, ...env } = process.env;
  return spawnSync(process.execPath, args, { encoding: 'utf8', env }).stdout.trimEnd().split('\n');
}

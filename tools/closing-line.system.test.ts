// The last line of a test run, for scripts that read nothing else.
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

it('counts passed tests, and reports that none failed', () => {
  expect(lastLine(`it('a', () => {}); it('b', () => {});`)).toBe('2 passed, 0 failed');
});

it('counts failed and skipped tests', () => {
  const tests = `it('a', () => {}); it('b', () => { throw new Error('b') }); it.skip('c', () => {}); it.todo('d');`;
  expect(lastLine(tests)).toBe('1 passed, 1 failed, 2 skipped');
});

it('counts failures outside of tests: a file, a hook, an uncaught error', () => {
  const hook = `describe('a', () => { beforeAll(() => { throw new Error('hook') }); it('b', () => {}); });`;
  const uncaught = `it('c', () => { Promise.reject(new Error('uncaught')); });`;
  expect(lastLine(hook, uncaught, `throw new Error('file');`)).toBe('1 passed, 3 failed, 1 skipped');
});

it('lists failed tests with their errors before it, and tests that passed on retry', () => {
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
  // These counts are not those of the run that contains this test.
  const { ICECORE_TEST_COUNTS: _, ...env } = process.env;
  return spawnSync(process.execPath, args, { encoding: 'utf8', env }).stdout.trimEnd().split('\n');
}

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

function lastLine(...files: string[]): string | undefined {
  for (const [index, tests] of files.entries()) {
    const source = `import { beforeAll, describe, it } from 'vitest';\n${tests}`;
    writeFileSync(join(folder, `${index}.test.js`), source);
  }
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', `--reporter=${join(root, 'tools/closing-line.ts')}`];
  const args = [vitest, 'run', '--root', folder, ...reporters];
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout.trimEnd().split('\n').at(-1);
}

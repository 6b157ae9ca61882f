// What Node compiled once is code that it runs again: nobody else may be able to put it there.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './testing/harness.ts';

const program = join(import.meta.dirname, '../../bin/icecore.cjs');

const compiled = 'account/.cache/icecore/compiled';

function started(folder: string, more: Readonly<Record<string, string>> = {}): void {
  const env = { PATH: process.env['PATH'], HOME: join(folder, 'account'), TMPDIR: join(folder, 'tmp'), ...more };
  for (const path of [env.HOME, env.TMPDIR]) mkdirSync(path, { recursive: true });
  const text = execFileSync(process.execPath, [program, '--version'], {
    cwd: folder,
    env,
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect(text).toMatch(/^icecore \d/);
}

describe.skipIf(process.platform === 'win32')('the compile cache', () => {
  it('is in a folder of this user alone, not among temporary files', () => {
    const folder = temporaryFolder();
    started(folder);
    const cache = join(folder, compiled);
    expect(statSync(cache).mode & 0o077).toBe(0);
    expect(readdirSync(cache)).not.toEqual([]);
    expect(existsSync(join(folder, 'tmp/node-compile-cache'))).toBe(false);
  });

  it('is not in the current folder if XDG_CACHE_HOME is relative', () => {
    const folder = temporaryFolder();
    started(folder, { XDG_CACHE_HOME: 'cache' });
    expect(existsSync(join(folder, 'cache'))).toBe(false);
    expect(readdirSync(join(folder, compiled))).not.toEqual([]);
  });

  it.skipIf(!existsSync('/proc/self'))('is not needed where no folder can be created', () => {
    started(temporaryFolder(), { XDG_CACHE_HOME: '/proc/none' });
  });

  it.each([0o777, 0o770])('is not used if others can write to it: %o', (mode) => {
    const folder = temporaryFolder();
    const cache = join(folder, compiled);
    mkdirSync(cache, { recursive: true });
    chmodSync(cache, mode);
    started(folder);
    expect(readdirSync(cache)).toEqual([]);
  });
});

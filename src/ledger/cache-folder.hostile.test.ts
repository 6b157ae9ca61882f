// Whoever hands over a folder must not be able to bring along what a user keeps only to be faster.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { cacheFolder } from './cache-folder.ts';

afterEach(() => void vi.unstubAllEnvs());

it.each([
  ['', join(homedir(), '.cache/icecore')],
  ['cache', join(homedir(), '.cache/icecore')],
  ['./cache', join(homedir(), '.cache/icecore')],
  ['/caches', '/caches/icecore'],
])('XDG_CACHE_HOME=%s', (named, folder) => {
  vi.stubEnv('ICECORE_CACHE', '');
  vi.stubEnv('XDG_CACHE_HOME', named);
  expect(cacheFolder()).toBe(folder);
});

// Attacks through a URL or a folder of another person: files they could make icecore read.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { cacheFolder, readCertificates } from '../base/folders.ts';
import { openLedger } from './open.ts';

const folder = mkdtempSync(join(tmpdir(), 'icecore-ca-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fifo = join(folder, 'fifo');
execFileSync('mkfifo', [fifo]);
const large = join(folder, 'large');
writeFileSync(large, '');
truncateSync(large, 1024 ** 3);

describe.skipIf(process.platform === 'win32')('certificates', () => {
  it.each(['/dev/zero', '/dev/stdin', fifo, large, folder, '/proc/self/mem'])('are not read from %s', (path) => {
    expect(() => readCertificates(path)).toThrow('the certificates cannot be read');
  });

  it.each([
    `split:sqlite:${join(folder, 'decisions.db')}+kafka://127.0.0.1:9/lab?tls=true`,
    'esdb://127.0.0.1:9/lab?patience=1',
  ])('that never end cause an error before the ledger connects: %s', async (url) => {
    await expect(openLedger(`${url}&ca=/dev/zero`, { create: true })).rejects.toThrow(
      'the certificates cannot be read',
    );
  });

  it('are read from a file', () => {
    const path = join(folder, 'ca.pem');
    writeFileSync(path, 'pem');
    expect(readCertificates(path).toString()).toBe('pem');
  });
});

describe('the cache', () => {
  afterEach(() => void vi.unstubAllEnvs());

  it.each([
    ['', join(homedir(), '.cache/icecore')],
    ['cache', join(homedir(), '.cache/icecore')],
    ['./cache', join(homedir(), '.cache/icecore')],
    ['/caches', '/caches/icecore'],
  ])('is never in an untrusted folder: XDG_CACHE_HOME=%s', (named, path) => {
    vi.stubEnv('ICECORE_CACHE', '');
    vi.stubEnv('XDG_CACHE_HOME', named);
    expect(cacheFolder()).toBe(path);
  });
});

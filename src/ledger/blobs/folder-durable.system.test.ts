import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { digestsIn } from './contract/samples.ts';
import { openBlobs } from './open.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-durable-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const recorder = fileURLToPath(new URL('./testing/recorder.ts', import.meta.url));
const recordedPuts = fileURLToPath(new URL('./testing/recorded-puts.ts', import.meta.url));
const endlessPuts = fileURLToPath(new URL('./testing/endless-puts.ts', import.meta.url));

type Record = { [step in 'made' | 'small' | 'large' | 'again' | 'erased']: string[] };

function record(store: string): Record {
  const args = ['--import', recorder, recordedPuts, store];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

describe('acknowledged blobs are on disk', () => {
  it('new folders are synced into their parents', () => {
    const store = join(folder, 'deep', 'er');
    const { made } = record(store);
    for (const above of [folder, dirname(store), store]) expect(made).toContain(`sync ${above}`);
    expect(made.at(-1)).toBe(`sync ${store}`);
  });

  it('a blob is synced under a temporary name and renamed, and its folder is synced', () => {
    const store = join(folder, 'store');
    const { small, large } = record(store);
    for (const steps of [small, large]) {
      const renamed = steps.findIndex((step) => step.startsWith('rename '));
      const [, from = '', to = ''] = (steps[renamed] ?? '').split(' ');
      expect(dirname(from)).toBe(join(store, 'incoming'));
      expect(basename(to)).toMatch(/^[0-9a-f]{62}\.zst$/);
      expect(steps.slice(0, renamed)).toEqual([`sync ${from}`, `sync ${store}`]);
      expect(steps.slice(renamed + 1)).toEqual([`sync ${dirname(to)}`]);
    }
  });

  it('an existing blob is made durable too, and so is erasing', () => {
    const { small, again, erased } = record(join(folder, 'store'));
    const shard = small.at(-1);
    expect(again).toEqual([shard]);
    expect(erased).toEqual([expect.stringMatching(/^unlink /), shard]);
  });
});

describe('a killed writer', () => {
  it.each([1, 40, 300])('after %i acknowledged blobs leaves these, and no partial blob', async (acknowledged) => {
    const url = `folder:${join(folder, 'store')}`;
    const blobs = await openBlobs(url, { create: true });
    const child = fork(endlessPuts, [url]);
    const acknowledgedDigests: string[] = [];
    child.on('message', (digest) => {
      acknowledgedDigests.push(String(digest));
      if (acknowledgedDigests.length === acknowledged) child.kill('SIGKILL');
    });
    await once(child, 'close');
    const there = await digestsIn(blobs);
    expect(acknowledgedDigests.length).toBeGreaterThanOrEqual(acknowledged);
    expect(acknowledgedDigests.filter((digest) => !there.includes(digest))).toEqual([]);
    for (const digest of there) await blobs.get(digest);
  });
});

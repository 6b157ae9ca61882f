import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLedger } from '../open.ts';
import type { Making } from './testing/maker.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-making-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a ledger that several processes create concurrently', () => {
  it('is created by one of them and found by all, every time', async () => {
    const makers = 4;
    const come = new Int32Array(new SharedArrayBuffer(4 * 150));
    const making: Making = { folder, makers, come };
    const threads = Array.from({ length: makers }, () => {
      return new Worker(new URL('testing/maker.ts', import.meta.url), { workerData: making });
    });
    try {
      const ended = await Promise.all(threads.map((thread) => once(thread, 'exit')));
      expect(ended.flat()).toEqual(threads.map(() => 0));
    } finally {
      for (const thread of threads) await thread.terminate();
    }
    await (await openLedger(`sqlite:${join(folder, '149.db')}`)).close();
  });
});

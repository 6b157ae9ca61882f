import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../identity/ids.ts';
import { CopyBench } from './testing/copy-bench.ts';
import { killCopies, recordWithBlobs } from './testing/killed.ts';

let bench: CopyBench;
beforeEach(() => {
  bench = new CopyBench();
});
afterEach(() => bench.close());

/** The same moments in every run. */
const moment = (process: number): number => Number.parseInt(sha256(`process ${process}`).slice(0, 8), 16) / 2 ** 32;

describe('a copy killed with SIGKILL', () => {
  it('leaves a sound beginning at random moments, and resumes to an equal copy', {
    timeout: 180_000,
  }, async () => {
    await recordWithBlobs(await bench.ledger('original'), await bench.blobs('original'));
    const { finished, faults } = await killCopies(bench, 5, moment);
    expect(faults).toEqual([]);
    expect(finished).toBeGreaterThan(0);
  });

  it('leaves a sound beginning in a split ledger too, and resumes to an equal copy', { timeout: 180_000 }, async () => {
    await recordWithBlobs(await bench.ledger('original'), await bench.blobs('original'));
    const { finished, faults } = await killCopies(bench, 2, moment, { name: 'split' });
    expect(faults).toEqual([]);
    expect(finished).toBeGreaterThan(0);
  });
});

// A copy while another process writes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { evidenceStream } from '../contract/samples.ts';
import { startTogether } from '../contract/writers.ts';
import { CopyBench, eventsOf } from './testing/copy-bench.ts';

let bench: CopyBench;
beforeEach(() => {
  bench = new CopyBench();
});
afterEach(() => bench.close());

describe('a copy while others write to the original', () => {
  it('from another process, without a pause, is a sound ledger each time', async () => {
    const original = await bench.ledger('original');
    const forever = { from: 0, to: 10_000_000, batch: 40, mode: 'append' } as const;
    const [writer] = await startTogether([{ url: original.url, stream: evidenceStream, ...forever }]);
    await writer?.reaches(10);
    for (let round = 0; round < 5; round++) expect((await bench.copy('original', 'copy')).copied).toBeGreaterThan(0);
    writer?.kill();
    await writer?.ended();
    const copy = await eventsOf(await bench.ledger('copy'));
    expect(copy).toEqual((await eventsOf(original)).slice(0, copy.length));
    expect((await bench.verify('copy')).faults).toBe(0);
  });
});

// The engine over a log in memory that loses calls, so that it waits and retries.
import { describe, expect, it } from 'vitest';
import { note, notesStream } from '../contract/samples.ts';
import type { Waiting } from '../ledger.ts';
import { inTurn, ledgerOn, memoryContract } from './testing/memory-ledger.ts';
import { type Fault, MemoryLog, MemoryServer } from './testing/memory-log.ts';

memoryContract('that loses calls, answers and pages', () => ({
  faultOfAppend: inTurn<Fault>(['none', 'lost', 'none', 'unheard', 'unsure', 'none', 'none']),
  losesPage: inTurn([false, true, ...Array<boolean>(9).fill(false)]),
}));

describe('an unavailable server', () => {
  it('is awaited, until an error with the known facts', async () => {
    const waiting: (string | null)[] = [];
    const onWait = ({ away }: Waiting): void => void waiting.push(away?.what ?? null);
    const log = new MemoryLog(new MemoryServer(), { faultOfAppend: () => 'unsure' });
    const append = ledgerOn(log, { patience: 2, onWait }).append(notesStream, [note(0)], { expect: 'any' });
    await expect(append).rejects.toMatchObject({
      name: 'ServerAway',
      kind: 'unavailable',
      facts: { maybeStored: true },
    });
    expect(waiting).toEqual(['no answer']);
  });
});

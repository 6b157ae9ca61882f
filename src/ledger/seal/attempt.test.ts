import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { evidenceStream, someRollouts } from '../contract/samples.ts';
import { openLedger } from '../open.ts';
import { AttemptTree } from './attempt.ts';

describe('the tree over an attempt', () => {
  it('has the same root as reading the attempt, whatever was added to it, and when', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'icecore-attempt-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    let made = 0;
    const step = fc.record({
      events: fc.integer({ min: 1, max: 30 }),
      back: fc.nat(10),
      isAdded: fc.boolean(),
      seals: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const ledger = await openLedger(`sqlite:${join(folder, `${made++}.db`)}`, { create: true });
        const tree = new AttemptTree(ledger, evidenceStream);
        let next = 0;
        for (const { events, back, isAdded, seals } of steps) {
          const from = Math.max(0, next - back);
          const appended = await ledger.append(evidenceStream, someRollouts(from, events), { expect: 'any' });
          next = Math.max(next, from + events);
          if (isAdded) tree.appended(appended);
          if (seals) await tree.seal();
        }
        expect(await tree.seal()).toEqual(await new AttemptTree(ledger, evidenceStream).seal());
        expect((await tree.seal()).count).toBe(next);
        await ledger.close();
      }),
      { numRuns: 25 },
    );
  });
});

// Following a ledger: what is delivered, and where to go on from it.
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { evidenceStream, note, notesStream, rollout } from '../contract/samples.ts';
import { all, answerBytes, named } from './testing/all.ts';
import { ledgerTopics, onAndOn, PartsInMemory } from './testing/parts-in-memory.ts';
import { type Logged, randomLog, writeLog } from './testing/random-logs.ts';

function isEvidence({ stream }: Logged): boolean {
  return stream.startsWith('evidence-');
}

describe('what is stored from now on', () => {
  it('is delivered once, whatever comes while it is read, and goes on behind any delivery', async () => {
    await fc.assert(
      fc.asyncProperty(randomLog, randomLog, fc.boolean(), async (first, second, isFiltered) => {
        const topics = ledgerTopics();
        const parts = new PartsInMemory(topics, { answerBytes });
        writeLog(topics, parts.lanes, first.filter(isEvidence));
        // In streams of their own, so that they go on where nothing is yet.
        const later = second.filter((logged) => !isEvidence(logged));
        const types = isFiltered ? { types: ['RunAnnotated'] } : {};
        const delivered: { readonly cursor: string; readonly before: number }[] = [];
        const names: string[] = [];
        let isOver = later.length === 0;
        for await (const delivery of parts.feeds.live(types, onAndOn)) {
          if (delivery.kind === 'events') names.push(...named(delivery.events));
          delivered.push({ cursor: delivery.cursor, before: names.length });
          if (delivery.kind === 'events') continue;
          if (isOver) break;
          writeLog(topics, parts.lanes, later);
          isOver = true;
        }
        for (const { cursor, before } of delivered) {
          const rest = named(await all(parts, { ...types, after: cursor }));
          expect([...names.slice(0, before), ...rest].sort()).toEqual(named(await all(parts, types)).sort());
        }
        parts.index.close();
      }),
      { numRuns: 40 },
    );
  });

  it('is asked of those topics alone that may have some of what is wanted', async () => {
    const parts = new PartsInMemory(ledgerTopics());
    await parts.writing.append(evidenceStream, [rollout(0)], { expect: 'any' }, onAndOn);
    const ends = vi.spyOn(parts.transport, 'ends');
    const cursors: string[] = [];
    let appending: Promise<unknown> | null = null;
    for await (const { kind, cursor } of parts.feeds.live({ types: ['RunAnnotated'] }, onAndOn)) {
      if (kind === 'caught-up') cursors.push(cursor);
      if (cursors.length === 2) break;
      if (kind === 'events') continue;
      ends.mockClear();
      // The next look finds it, and has asked nobody else.
      appending = parts.writing.append(notesStream, [note(0)], { expect: 'any' }, onAndOn);
    }
    await appending;
    expect(new Set(ends.mock.calls.flat())).toEqual(new Set(['lab.notes']));
    expect(await all(parts, { after: cursors[1] ?? '' })).toEqual([]);
  });
});

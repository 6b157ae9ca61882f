import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storedOf } from './known-ids.ts';
import type { Lane } from './lanes.ts';
import { ModelLane } from './testing/model.ts';
import { ledgerTopics, onAndOn, PartsInMemory } from './testing/parts-in-memory.ts';
import { loggedStreams, randomLog, writeLog } from './testing/random-logs.ts';

const id = fc.nat({ max: 45 }).map((number) => `00000000-0000-8000-8000-${String(number).padStart(12, '0')}`);

function plain(text: string): string {
  return text.replaceAll('-', '');
}

describe('the ids of an append', () => {
  it('are found where they are in the stream, and nowhere else, whatever their order', async () => {
    await fc.assert(
      fc.asyncProperty(randomLog, fc.uniqueArray(id, { minLength: 1 }), async (log, ids) => {
        const topics = ledgerTopics();
        const parts = new PartsInMemory(topics, { answerBytes: 1_000 });
        writeLog(topics, parts.lanes, log);
        for (const stream of loggedStreams) {
          const lane = parts.lanes.ofStream(stream) as Lane;
          await parts.log.takeInToEnd(lane);
          const found = parts.index.stream(stream);
          const stored = await storedOf(ids, found, parts.index, (span) => parts.reading.read(stream, span, onAndOn));
          const events = new ModelLane(parts.lanes, lane, log).of(stream);
          const there = ids.filter((one) => events.some((event) => event.id === plain(one)));
          expect([...stored.keys()].sort()).toEqual(there.sort());
          for (const [one, { revision, digest, body }] of stored)
            expect(events[revision]).toMatchObject({ id: plain(one), digest, body });
        }
        parts.index.close();
      }),
      { numRuns: 60 },
    );
  });
});

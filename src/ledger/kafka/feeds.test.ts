// The whole ledger, read from anywhere to anywhere: always a part of one order.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import type { ReadAllOptions } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import { all, answerBytes, named } from './testing/all.ts';
import { ledgerTopics, onAndOn, PartsInMemory } from './testing/parts-in-memory.ts';
import { type Logged, loggedStreams, randomLog, writeLog } from './testing/random-logs.ts';

interface Found {
  readonly parts: PartsInMemory;
  readonly events: readonly StoredEvent[];
  /** Some of their indices. */
  readonly some: readonly number[];
}

async function ofAnyLog(numRuns: number, property: (found: Found) => Promise<void>): Promise<void> {
  const some = fc.array(fc.nat(), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(randomLog, some, async (log, numbers) => {
      const topics = ledgerTopics();
      const parts = new PartsInMemory(topics, { answerBytes });
      writeLog(topics, parts.lanes, log);
      const events = await all(parts);
      const indices = events.length === 0 ? [] : numbers.map((number) => number % events.length);
      await property({ parts, events, some: [...new Set(indices)] });
      parts.index.close();
    }),
    { numRuns },
  );
}

async function opened(log: readonly Logged[], bytes: number): Promise<PartsInMemory> {
  const topics = ledgerTopics();
  const parts = new PartsInMemory(topics, { answerBytes: bytes });
  writeLog(topics, parts.lanes, log);
  return parts;
}

describe('the whole ledger', () => {
  it('is in one order, however it is read: by its lanes’ times, and along each lane', async () => {
    await fc.assert(
      fc.asyncProperty(randomLog, fc.integer({ min: 1, max: 5_000 }), async (log, bytes) => {
        const [parts, other] = [await opened(log, bytes), await opened(log, Number.POSITIVE_INFINITY)];
        // What is known beforehand is read in another way.
        await other.survey.head(onAndOn);
        const events = await all(parts);
        expect(events).toEqual(await all(other));
        for (const lane of parts.lanes.all) {
          const own = events.filter(({ stream }) => parts.lanes.ofStream(stream) === lane);
          const known = [...new Set(own.map(({ stream }) => stream))];
          for (const stream of known) {
            const revisions = own.filter((event) => event.stream === stream).map(({ revision }) => revision);
            expect(revisions).toEqual([...revisions.keys()]);
          }
        }
        for (const each of [parts, other]) each.index.close();
      }),
      { numRuns: 60 },
    );
  });

  it('goes on behind any of its events, and back before it', async () => {
    await ofAnyLog(60, async ({ parts, events, some }) => {
      expect(named(await all(parts, { backwards: true }))).toEqual(named(events.toReversed()));
      for (const index of some) {
        const after = events[index]?.cursor ?? '';
        expect(await all(parts, { after })).toEqual(events.slice(index + 1));
        const before = await all(parts, { after, backwards: true });
        expect(named(before)).toEqual(named(events.slice(0, index).toReversed()));
        for (const [steps, event] of before.entries()) {
          const rest = await all(parts, { after: event.cursor, limit: 3 });
          expect(named(rest)).toEqual(named(events.slice(index - steps, index - steps + 3)));
        }
      }
    });
  });

  it('ends with any of its events', async () => {
    await ofAnyLog(60, async ({ parts, events, some }) => {
      for (const index of some) {
        for (const end of some) {
          const [after, until] = [events[index]?.cursor ?? '', events[end]?.cursor ?? ''];
          expect(await all(parts, { after, until })).toEqual(events.slice(index + 1, end + 1));
        }
      }
    });
  });

  it('goes on where a stream’s event lies in it, which says no more than that', async () => {
    await ofAnyLog(60, async ({ parts, events, some }) => {
      const places = new Map<string, string>();
      for (const stream of loggedStreams) {
        for (const event of await collect(parts.reading.read(stream, {}, onAndOn)))
          places.set(`${event.stream}@${event.revision}`, event.cursor);
      }
      const placeOf = (index: number): string => places.get(named(events)[index] ?? '') ?? '';
      for (const index of some) {
        const after = placeOf(index);
        expect(named(await all(parts, { after }))).toEqual(named(events.slice(index + 1)));
        const before = await all(parts, { after, backwards: true });
        expect(named(before)).toEqual(named(events.slice(0, index).toReversed()));
        expect(named(await all(parts, { until: after }))).toEqual(named(events.slice(0, index + 1)));
        for (const other of some) {
          const order = index < other ? 'before' : index > other ? 'after' : 'equal';
          expect(parts.cursors.compare(after, placeOf(other))).toBe(order);
          expect(parts.cursors.compare(events[index]?.cursor ?? '', events[other]?.cursor ?? '')).toBe(order);
        }
      }
    });
  });

  it('is read of some streams or types alone, from anywhere, in either direction', async () => {
    const filters: readonly ReadAllOptions[] = [
      { streams: [loggedStreams[0] as string, loggedStreams[3] as string] },
      { streams: ['notes-nobody'] },
      { streams: [] },
      { types: ['RolloutRecorded'] },
      { types: ['RunAnnotated', 'Unknown'], streams: loggedStreams.slice(1) },
    ];
    await ofAnyLog(40, async ({ parts, events }) => {
      for (const filter of filters) {
        const wanted = events.filter(({ stream, type }) => {
          return filter.streams?.includes(stream) !== false && filter.types?.includes(type) !== false;
        });
        const found = await all(parts, filter);
        expect(named(found)).toEqual(named(wanted));
        expect(named(await all(parts, { ...filter, backwards: true }))).toEqual(named(wanted.toReversed()));
        expect(named(await all(parts, { ...filter, limit: 2 }))).toEqual(named(wanted.slice(0, 2)));
        const last = await all(parts, { ...filter, backwards: true, limit: 1 });
        expect(named(last)).toEqual(named(wanted.slice(-1)));
        for (const [index, { cursor }] of found.entries()) {
          if (index % 5 !== 0) continue;
          const rest = await all(parts, { ...filter, after: cursor });
          expect(named(rest)).toEqual(named(wanted.slice(index + 1)));
        }
      }
    });
  });

  it('is cut into ranges that hold all of it once, in its order', async () => {
    await ofAnyLog(40, async ({ parts, events, some }) => {
      for (const size of [1, 3, 7, 1_000]) {
        const ranges = await parts.survey.ranges(size, {}, onAndOn);
        const found: StoredEvent[] = [];
        for (const range of ranges) {
          const after = range.after === null ? {} : { after: range.after };
          const own = await all(parts, { ...after, until: range.until });
          expect(own).toHaveLength(range.events);
          found.push(...own);
        }
        expect(named(found)).toEqual(named(events));
        expect(ranges.slice(0, -1).every((range) => range.events === size)).toBe(true);
      }
      const [index = 0, end = 0] = some.toSorted((a, b) => a - b);
      const span = { after: events[index]?.cursor, until: events[end]?.cursor };
      if (span.after === undefined || span.until === undefined) return;
      const { after, until } = span;
      const [range] = await parts.survey.ranges(1_000, { after, until }, onAndOn);
      expect(range?.events ?? 0).toBe(Math.max(0, end - index));
    });
  });

  it('has as many events as count, and their digests in its order', async () => {
    await ofAnyLog(20, async ({ parts, events }) => {
      const head = await parts.survey.head(onAndOn);
      expect(head.events).toBe(events.length);
      expect(await all(parts, { after: head.cursor })).toEqual([]);
      let digests = '';
      for await (const some of parts.survey.digests({}, onAndOn)) digests += some;
      expect(digests).toBe(events.map(({ digest }) => digest).join(''));
    });
  });
});

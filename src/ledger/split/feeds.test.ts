// Reading both parts as one, whatever the clocks said when their events were recorded.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, note, notesStream, rollout, someRollouts } from '../contract/samples.ts';
import type { Ledger, ReadAllOptions } from '../ledger.ts';
import { StoredEvent } from '../stored.ts';
import { SplitPlace } from './testing/place.ts';

/** At once, and so twice as many in all. */
const most = 8;
const inAll = 2 * most;

/** Notes and rollouts as another ledger stored them. */
async function stored(place: SplitPlace): Promise<readonly StoredEvent[]> {
  const ledger = await place.open({ create: true }, `sqlite:${place.folder}/original.db`);
  const notes = Array.from({ length: inAll }, (_, i) => note(i));
  await ledger.append(notesStream, notes, { expect: 'none' });
  await ledger.append(evidenceStream, someRollouts(0, inAll), { expect: 'any' });
  return await collect(ledger.readAll());
}

function recordedAt(event: StoredEvent, ms: number): StoredEvent {
  const { stream, revision, type, filedId, digest, body, cursor } = event;
  return new StoredEvent(stream, revision, type, filedId, ms, digest, body, cursor);
}

/** An event of either part, and what the clock said. */
interface Step {
  readonly isNote: boolean;
  readonly ms: number;
}

const times = fc.nat({ max: 6 });
const steps = fc.array(fc.record({ isNote: fc.boolean(), ms: times }), { minLength: 1, maxLength: most });

/** The next events of both streams, one for each step. */
function eventsFor(
  events: readonly StoredEvent[],
  wanted: readonly Step[],
  after: readonly Step[] = [],
): StoredEvent[] {
  const count = { notes: after.filter(({ isNote }) => isNote).length, rollouts: 0 };
  count.rollouts = after.length - count.notes;
  return wanted.flatMap(({ isNote, ms }) => {
    const event = events[isNote ? count.notes++ : inAll + count.rollouts++];
    return event === undefined ? [] : [recordedAt(event, ms)];
  });
}

const read = async (ledger: Ledger, options: ReadAllOptions = {}): Promise<readonly StoredEvent[]> =>
  await collect(ledger.readAll(options));
const placesOf = (events: readonly StoredEvent[]): string[] =>
  events.map(({ stream, revision }) => `${stream}@${revision}`);

/** Tries the same with many ledgers, each with the events of its steps. */
async function always(
  body: (ledger: Ledger, made: readonly StoredEvent[], grown: readonly StoredEvent[]) => Promise<void>,
  { isSteady = false }: { isSteady?: boolean } = {},
): Promise<void> {
  const source = new SplitPlace();
  const events = await stored(source);
  await fc.assert(
    fc.asyncProperty(steps, steps, async (first, second) => {
      const place = new SplitPlace();
      const inTime = (some: readonly Step[]): readonly Step[] =>
        isSteady ? some.toSorted((a, b) => a.ms - b.ms) : some;
      const [made, grown] = [eventsFor(events, inTime(first)), eventsFor(events, inTime(second), first)];
      const ledger = await place.open();
      await ledger.replicate(made);
      await body(ledger, made, grown);
      await place.close();
    }),
    { numRuns: 15 },
  );
}

describe('everything in a split ledger', () => {
  it('comes as it was recorded, decisions first of what was recorded at once', async () => {
    await always(
      async (ledger, made) => {
        const wanted = made.toSorted(
          (a, b) =>
            a.recordedMs - b.recordedMs || Number(b.type === 'RunAnnotated') - Number(a.type === 'RunAnnotated'),
        );
        expect(placesOf(await read(ledger))).toEqual(placesOf(wanted));
      },
      { isSteady: true },
    );
  });

  it('comes once, each stream in order, though the clocks of its stores went backwards', async () => {
    await always(async (ledger, made) => {
      const all = await read(ledger);
      for (const stream of [notesStream, evidenceStream]) {
        const of = (events: readonly StoredEvent[]) => placesOf(events.filter((event) => event.stream === stream));
        expect(of(all)).toEqual(of(made));
      }
      expect(all).toHaveLength(made.length);
    });
  });

  it('goes on behind every event with just the rest, and ends at every event with just what was before', async () => {
    await always(async (ledger) => {
      const all = await read(ledger);
      for (const [index, { cursor }] of all.entries()) {
        expect(await read(ledger, { after: cursor })).toEqual(all.slice(index + 1));
        expect(await read(ledger, { until: cursor })).toEqual(all.slice(0, index + 1));
      }
    });
  });

  it('goes on behind every event with all that came since, whatever the clocks say of it', async () => {
    await always(async (ledger, _, grown) => {
      const all = await read(ledger);
      await ledger.replicate(grown);
      for (const [index, { cursor }] of all.entries()) {
        expect(await read(ledger, { until: cursor })).toEqual(all.slice(0, index + 1));
        const rest = placesOf(await read(ledger, { after: cursor }));
        expect(rest.toSorted()).toEqual(placesOf([...all.slice(index + 1), ...grown]).toSorted());
      }
    });
  });

  it('is, backwards, the same in reverse, and what was behind each event is what was handed over before it', async () => {
    await always(
      async (ledger) => {
        const all = await read(ledger);
        expect(await read(ledger, { backwards: true })).toEqual(all.toReversed());
        for (const [index, { cursor }] of all.entries()) {
          expect(await read(ledger, { backwards: true, after: cursor })).toEqual(all.slice(0, index).toReversed());
        }
      },
      { isSteady: true },
    );
    await always(async (ledger) => {
      const back = await read(ledger, { backwards: true });
      for (const [index, { cursor }] of back.entries()) {
        const behind = placesOf(await read(ledger, { after: cursor }));
        expect(behind.toSorted()).toEqual(placesOf(back.slice(0, index)).toSorted());
      }
    });
  });
});

describe('cursors of a split ledger', () => {
  it('say which of two events was read first', async () => {
    await always(async (ledger) => {
      const cursors = (await read(ledger)).map(({ cursor }) => cursor);
      for (const [i, one] of cursors.entries()) {
        for (const [j, other] of cursors.entries()) {
          expect(ledger.compareCursors(one, other)).toBe(i === j ? 'equal' : i < j ? 'before' : 'after');
        }
      }
      expect((await ledger.head()).cursor).toBe(cursors.at(-1));
    });
  });

  it('of one part each say nothing of an order between them', async () => {
    const ledger = await new SplitPlace().open();
    const decision = await ledger.append(notesStream, [note(0)], { expect: 'none' });
    const evidence = await ledger.append(evidenceStream, [rollout(0)], { expect: 'any' });
    expect(ledger.compareCursors(decision.cursor, evidence.cursor)).toBe('concurrent');
    const { cursor } = await ledger.head();
    for (const one of [decision, evidence]) expect(ledger.compareCursors(one.cursor, cursor)).toBe('before');
    expect(placesOf(await read(ledger, { after: decision.cursor }))).toEqual([`${evidenceStream}@0`]);
    expect(placesOf(await read(ledger, { until: decision.cursor }))).toEqual([`${notesStream}@0`]);
  });

  it('that say what this ledger never said are refused', async () => {
    const ledger = await new SplitPlace().open();
    const { id } = ledger;
    for (const bad of [`${id}@3`, `${id}@a+b+c`, `${id}@=%zz+`, `${id}@7+`, `${id}@+7`, 'other@+', `${id}@x+`]) {
      await expect(read(ledger, { after: bad })).rejects.toMatchObject({ name: 'BadCursor' });
    }
  });
});

describe('following a split ledger', () => {
  it('left anywhere, while both parts grow, is gone on with without loss or repetition', async () => {
    const place = new SplitPlace();
    const ledger = await place.open();
    const seen: string[] = [];
    let after: string | undefined;
    for (let round = 0; round < 8; round++) {
      await ledger.append(notesStream, [note(2 * round), note(2 * round + 1)], { expect: 'any' });
      let appending: Promise<unknown> | null = null;
      for await (const delivery of ledger.subscribe(after === undefined ? {} : { after })) {
        after = delivery.cursor;
        if (delivery.kind === 'events') seen.push(...placesOf(delivery.events));
        if (appending !== null) break;
        if (delivery.kind === 'caught-up')
          appending = ledger.append(evidenceStream, [rollout(round)], { expect: 'any' });
      }
      await appending;
    }
    expect(seen.toSorted()).toEqual(placesOf(await read(ledger)).toSorted());
    expect(await read(ledger, after === undefined ? {} : { after })).toEqual([]);
  });

  it.each(['decisions', 'evidence'])('asked for nothing, says that the %s have grown', async (part) => {
    const ledger = await new SplitPlace().open();
    const reached: string[] = [];
    let appending: Promise<unknown> | null = null;
    for await (const delivery of ledger.subscribe({ types: [] })) {
      expect(delivery.kind).toBe('caught-up');
      reached.push(delivery.cursor);
      if (reached.length > 1) break;
      const [stream, event] = part === 'evidence' ? [evidenceStream, rollout(0)] : [notesStream, note(0)];
      appending = ledger.append(stream, [event], { expect: 'any' });
    }
    await appending;
    expect(ledger.compareCursors(reached[0] ?? '', reached[1] ?? '')).toBe('before');
  });

  it('has caught up with the one part that was asked, past all there is of it; in the other it stays where it was', async () => {
    const ledger = await new SplitPlace().open();
    await ledger.append(evidenceStream, [rollout(0)], { expect: 'any' });
    await ledger.append(notesStream, [note(0)], { expect: 'any' });
    for await (const delivery of ledger.subscribe({ types: ['ProposalRecorded'] })) {
      expect(delivery.kind).toBe('caught-up');
      expect(placesOf(await read(ledger, { after: delivery.cursor }))).toEqual([`${evidenceStream}@0`]);
      break;
    }
  });
});

// Reading a split ledger: evidence through the run events that report it, independent of clocks.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { tries } from '../../../schemas/testing/tries.ts';
import { collect } from '../contract/fixture.ts';
import { note, notesStream, report, rolloutIn, run, runStream, seal } from '../contract/samples.ts';
import type { Delivery, Ledger, ReadAllOptions } from '../ledger.ts';
import { AttemptTree } from '../seal/attempt.ts';
import { StoredEvent } from '../stored.ts';
import { SplitPlace } from './testing/place.ts';

const streamOfAttempt = (part: number): string => streamOf.evidence(run, 2, part, 1);
const workStream = streamOf.work(run);

const read = async (ledger: Ledger, options: ReadAllOptions = {}): Promise<readonly StoredEvent[]> =>
  await collect(ledger.readAll(options));
const placesOf = (events: readonly StoredEvent[]): string[] =>
  events.map(({ stream, revision }) => `${stream}@${revision}`);

async function attempt(ledger: Ledger, number: number, count: number): Promise<string> {
  const stream = streamOfAttempt(number);
  const events = Array.from({ length: count }, (_, i) => rolloutIn(stream, i));
  await ledger.append(stream, events, { expect: 'any', isNew: true });
  return stream;
}

/** A step: a note, or an attempt of this number of rollouts, which is then reported, or sealed, or neither. */
type Step = 'note' | { readonly rollouts: number; readonly by: 'AttemptFinished' | 'EvidenceSealed' | null };

const steps = fc.array(
  fc.oneof(
    fc.constant('note' as const),
    fc.record({
      rollouts: fc.integer({ min: 0, max: 4 }),
      by: fc.constantFrom('AttemptFinished', 'EvidenceSealed', null),
    }),
  ),
  { maxLength: 7 },
);

interface Model {
  /** In the order of reading. */
  readonly places: readonly string[];
}

/** Executes the steps; returns what a reader must get. */
async function take(ledger: Ledger, all: readonly Step[]): Promise<Model> {
  const places: string[] = [];
  const ended: string[] = [];
  let unreported: { stream: string; rollouts: number }[] = [];
  for (const [number, step] of all.entries()) {
    if (step === 'note') {
      const { revision } = await ledger.append(notesStream, [note(number)], { expect: 'any' });
      places.push(`${notesStream}@${revision}`);
      continue;
    }
    const stream = await attempt(ledger, number, step.rollouts);
    const own = { stream, rollouts: step.rollouts };
    unreported.push(own);
    if (step.by === null) continue;
    // A seal reports whatever was not reported before; what it names again is skipped.
    const reported = step.by === 'AttemptFinished' ? [own] : unreported;
    if (step.by === 'AttemptFinished') {
      await report(ledger, stream);
      places.push(`${workStream}@${(await ledger.append(workStream, [], { expect: 'any' })).revision}`);
    } else {
      const names = [...new Set([...ended, ...unreported.map((one) => one.stream)])];
      const sealed = await Promise.all(names.map((one) => new AttemptTree(ledger, one).seal()));
      const { revision } = await ledger.append(runStream, [seal(sealed, number)], { expect: 'any' });
      places.push(`${runStream}@${revision}`);
    }
    ended.push(...reported.map((one) => one.stream));
    unreported = unreported.filter((one) => !reported.includes(one));
    for (const one of reported) places.push(...Array.from({ length: one.rollouts }, (_, i) => `${one.stream}@${i}`));
  }
  return { places };
}

/** Tries the same with many ledgers, each with the events of its steps. */
async function always(body: (ledger: Ledger, model: Model, place: SplitPlace) => Promise<void>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const place = new SplitPlace();
      const ledger = await place.open();
      const model = await take(ledger, all);
      await body(ledger, model, place);
      await place.close();
    }),
    { numRuns: tries(15) },
  );
}

describe('everything in a split ledger', () => {
  it('is the run events in order, each followed by the evidence that it is the first to report', async () => {
    await always(async (ledger, { places }, place) => {
      expect(placesOf(await read(ledger))).toEqual(places);
      expect(await ledger.head()).toMatchObject({ events: places.length });
      const stranger = await place.open({ readOnly: true });
      expect(placesOf(await read(stranger))).toEqual(places);
      const digests = (await read(ledger)).map(({ digest }) => digest).join('');
      let found = '';
      for await (const some of stranger.digests({})) found += some;
      expect(found).toBe(digests);
    });
  });

  it('continues after any event with exactly the rest, and ends at any event with exactly what came before', async () => {
    await always(async (ledger) => {
      const all = await read(ledger);
      expect((await ledger.head()).cursor).toBe(all.at(-1)?.cursor ?? `${ledger.id}@0`);
      for (const [index, { cursor }] of all.entries()) {
        expect(await read(ledger, { after: cursor })).toEqual(all.slice(index + 1));
        expect(await read(ledger, { until: cursor })).toEqual(all.slice(0, index + 1));
        const [from, to] = [all[index - 2]?.cursor, all[index]?.cursor];
        if (from !== undefined && to !== undefined)
          expect(await read(ledger, { after: from, until: to })).toEqual(all.slice(index - 1, index + 1));
      }
    });
  });

  it('is the same in reverse order when read backwards from anywhere', async () => {
    await always(async (ledger) => {
      const all = await read(ledger);
      expect(await read(ledger, { backwards: true })).toEqual(all.toReversed());
      for (const [index, { cursor }] of all.entries()) {
        expect(await read(ledger, { backwards: true, after: cursor })).toEqual(all.slice(0, index).toReversed());
        const some = { backwards: true, after: cursor, types: ['RunAnnotated', 'RolloutRecorded'], limit: 3 };
        const wanted = all.slice(0, index).filter(({ type }) => some.types.includes(type));
        expect(await read(ledger, some)).toEqual(wanted.toReversed().slice(0, 3));
      }
    });
  });

  it('filtered by types and streams is exactly these events', async () => {
    await always(async (ledger) => {
      const all = await read(ledger);
      for (const types of [['RolloutRecorded'], ['RunAnnotated'], ['EvidenceSealed', 'RolloutRecorded'], []])
        expect(await read(ledger, { types })).toEqual(all.filter(({ type }) => types.includes(type)));
      for (const streams of [
        [streamOfAttempt(1), notesStream],
        [streamOfAttempt(0), streamOfAttempt(2)],
        [runStream],
      ]) {
        expect(await read(ledger, { streams })).toEqual(all.filter(({ stream }) => streams.includes(stream)));
        const types = ['RolloutRecorded', 'RunAnnotated'];
        const both = all.filter(({ stream, type }) => streams.includes(stream) && types.includes(type));
        expect(await read(ledger, { streams, types })).toEqual(both);
      }
    });
  });

  it('is split into ranges that together contain everything', async () => {
    await always(async (ledger) => {
      const all = await read(ledger);
      for (const most of [1, 2, 5]) {
        const found: StoredEvent[] = [];
        for (const { after, until, events } of await ledger.ranges(most)) {
          const part = await read(ledger, { ...(after === null ? {} : { after }), until });
          expect(part).toHaveLength(events);
          expect(events).toBeLessThanOrEqual(most);
          found.push(...part);
        }
        expect(found).toEqual(all);
      }
    });
  });

  it('has cursors that give the order of two events', async () => {
    await always(async (ledger) => {
      const cursors = (await read(ledger)).map(({ cursor }) => cursor);
      for (const [i, one] of cursors.entries()) {
        for (const [j, other] of cursors.entries())
          expect(ledger.compareCursors(one, other)).toBe(i === j ? 'equal' : i < j ? 'before' : 'after');
      }
    });
  });

  it('is in the same order and complete if the clock of the evidence is ahead or behind', async () => {
    const source = new SplitPlace();
    const original = await source.open();
    await take(original, [
      'note',
      { rollouts: 3, by: 'AttemptFinished' },
      'note',
      { rollouts: 2, by: 'EvidenceSealed' },
      'note',
    ]);
    const events = await read(original);
    for (const shift of [-2000, 0, 2000]) {
      const place = new SplitPlace();
      const ledger = await place.open();
      await ledger.replicate(events.map((event) => (event.type === 'RolloutRecorded' ? shifted(event, shift) : event)));
      expect(placesOf(await read(ledger))).toEqual(placesOf(events));
      expect(await followed(ledger, events.length)).toEqual(placesOf(events));
      for (const [index, { cursor }] of (await read(ledger)).entries()) {
        expect(placesOf(await read(ledger, { after: cursor }))).toEqual(placesOf(events.slice(index + 1)));
        expect(await followed(ledger, events.length - index - 1, cursor)).toEqual(placesOf(events.slice(index + 1)));
      }
      await place.close();
    }
  });
});

function shifted(event: StoredEvent, ms: number): StoredEvent {
  const { stream, revision, type, filedId, recordedMs, digest, body, cursor } = event;
  return new StoredEvent(stream, revision, type, filedId, recordedMs + ms, digest, body, cursor);
}

async function followed(ledger: Ledger, count: number, after?: string): Promise<string[]> {
  const seen: string[] = [];
  for await (const delivery of ledger.subscribe(after === undefined ? {} : { after })) {
    if (delivery.kind === 'events') seen.push(...placesOf(delivery.events));
    if (seen.length >= count && delivery.kind === 'caught-up') break;
  }
  return seen;
}

describe('an attempt', () => {
  it('without a report is read only by its writer', async () => {
    const place = new SplitPlace();
    const ledger = await place.open();
    const stream = await attempt(ledger, 0, 3);
    const stranger = await place.open({ readOnly: true });
    expect(placesOf(await collect(ledger.read(stream)))).toEqual([0, 1, 2].map((i) => `${stream}@${i}`));
    expect(await collect(stranger.read(stream))).toEqual([]);
    expect(await collect(stranger.streams('evidence-'))).toEqual([]);
    expect(await read(ledger)).toEqual([]);
    await report(ledger, stream);
    expect(await collect(stranger.read(stream))).toHaveLength(3);
    const last = (await read(stranger)).at(-1);
    expect(await collect(stranger.streams('evidence-'))).toEqual([{ stream, revision: 2, cursor: last?.cursor }]);
    expect((await collect(ledger.read(stream, { backwards: true, limit: 1 })))[0]).toEqual(last);
  });

  it('ends where it was reported, whatever is appended to it afterwards', async () => {
    const ledger = await new SplitPlace().open();
    const stream = await attempt(ledger, 0, 2);
    await report(ledger, stream);
    await ledger.append(stream, [rolloutIn(stream, 7)], { expect: 'any' });
    const sealed = { ...(await new AttemptTree(ledger, stream).seal()), count: 3 };
    await ledger.append(runStream, [seal([sealed])], { expect: 'none' });
    expect(await collect(ledger.read(stream))).toHaveLength(2);
    expect(await read(ledger, { types: ['RolloutRecorded'] })).toHaveLength(2);
    expect(await ledger.head()).toMatchObject({ events: 4 });
  });

  it('with missing events is read as far as possible, and then the missing events are reported', async () => {
    const ledger = await new SplitPlace().open();
    const stream = await attempt(ledger, 0, 3);
    const whole = await new AttemptTree(ledger, stream).seal();
    await ledger.append(runStream, [seal([{ ...whole, count: 5 }])], { expect: 'none' });
    await ledger.append(notesStream, [note(0)], { expect: 'none' });
    const missing = { name: 'EvidenceMissing', kind: 'damaged', stream, missing: 2 };
    const seen: StoredEvent[] = [];
    const all = async (options: ReadAllOptions): Promise<void> => {
      for await (const events of ledger.readAll(options)) seen.push(...events);
    };
    const failure = await all({}).catch((error: unknown) => error as { past: string });
    expect(failure).toMatchObject(missing);
    expect(seen).toHaveLength(4);
    await all({ after: (failure as { past: string }).past });
    expect(placesOf(seen).at(-1)).toBe(`${notesStream}@0`);
    await expect(collect(ledger.read(stream))).rejects.toMatchObject(missing);
    expect(await collect(ledger.read(stream, { to: 2 }))).toHaveLength(3);
  });

  it('cannot be appended with an expectation, since its stream is not searched', async () => {
    const ledger = await new SplitPlace().open();
    for (const expected of ['none', 'exists', 0, -1] as const) {
      for (const isNew of [true, false]) {
        const appending = ledger.append(streamOfAttempt(0), [rolloutIn(streamOfAttempt(0), 0)], {
          expect: expected,
          isNew,
        });
        await expect(appending).rejects.toMatchObject({ name: 'UnsupportedByStore' });
      }
    }
  });
});

describe('cursors of a split ledger', () => {
  it('that this ledger never returned are refused', async () => {
    const ledger = await new SplitPlace().open();
    const { id } = ledger;
    await ledger.append(notesStream, [note(0)], { expect: 'none' });
    for (const bad of [
      `${id}@3`,
      `${id}@a+b+c`,
      `${id}@=%zz`,
      `${id}@1+7`,
      `${id}@+7`,
      'other@1',
      `${id}@x`,
      `${id}@1+0`,
    ])
      await expect(read(ledger, { after: bad })).rejects.toMatchObject({ name: 'BadCursor' });
  });
});

describe('following a split ledger', () => {
  it('resumes anywhere without loss or repetition while attempts are reported', async () => {
    const ledger = await new SplitPlace().open();
    const seen: string[] = [];
    let after: string | undefined;
    for (let round = 0; round < 8; round++) {
      await ledger.append(notesStream, [note(round)], { expect: 'any' });
      let appending: Promise<unknown> | null = null;
      for await (const delivery of ledger.subscribe(after === undefined ? {} : { after })) {
        after = delivery.cursor;
        if (delivery.kind === 'events') seen.push(...placesOf(delivery.events));
        if (appending !== null) break;
        if (delivery.kind === 'caught-up')
          appending = attempt(ledger, round, 2).then((stream) => report(ledger, stream));
      }
      await appending;
    }
    const all = placesOf(await read(ledger));
    expect(seen).toEqual(all.slice(0, seen.length));
    expect(placesOf(await read(ledger, after === undefined ? {} : { after }))).toEqual(all.slice(seen.length));
  });

  it('without requested events reaches the head when an attempt is reported', async () => {
    const ledger = await new SplitPlace().open();
    const reached: string[] = [];
    let appending: Promise<unknown> | null = null;
    for await (const delivery of ledger.subscribe({ types: [] })) {
      expect(delivery.kind).toBe('caught-up');
      reached.push(delivery.cursor);
      if (reached.length > 1) break;
      appending = attempt(ledger, 0, 2).then((stream) => report(ledger, stream));
    }
    await appending;
    expect(reached[1]).toBe((await ledger.head()).cursor);
  });

  it('delivers marked unreported evidence on request, and again in its place once it is reported', async () => {
    const place = new SplitPlace();
    const ledger = await place.open();
    await attempt(ledger, 0, 2);
    const reader = await place.open({ readOnly: true });
    const seen: [Delivery['kind'], string[]][] = [];
    let hasCaughtUp = false;
    for await (const delivery of reader.subscribe({ unsealed: true })) {
      if (delivery.kind !== 'caught-up') seen.push([delivery.kind, placesOf(delivery.events)]);
      else if (!hasCaughtUp) {
        hasCaughtUp = true;
        void attempt(ledger, 1, 2);
      }
      if (delivery.kind === 'unsealed') {
        expect(await read(reader, { after: delivery.cursor })).toEqual([]);
        await report(ledger, streamOfAttempt(1));
      }
      if (seen.flatMap(([, places]) => places).length === 5) break;
    }
    const own = [0, 1].map((i) => `${streamOfAttempt(1)}@${i}`);
    expect(seen).toEqual([
      ['unsealed', own],
      ['events', [`${workStream}@0`]],
      ['events', own],
    ]);
  });
});

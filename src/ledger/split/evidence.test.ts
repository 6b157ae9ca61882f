// A split ledger with a store of evidence that reads attempts together and publishes seals.
import { describe, expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { collect } from '../contract/fixture.ts';
import {
  finished,
  note,
  notesStream,
  report,
  rolloutIn,
  run,
  runStream,
  seal,
  workStream,
} from '../contract/samples.ts';
import { EvidenceMissing } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import { RemoteLedger } from '../remote/ledger.ts';
import { Waits } from '../remote/retry.ts';
import { MemoryLog, MemoryServer } from '../remote/testing/memory-log.ts';
import { AttemptTree } from '../seal/attempt.ts';
import { openSqlite } from '../sqlite/store.ts';
import type { AttemptRange, AttemptStore, CountingAttempt, Published } from './evidence.ts';
import { Store } from './parts.ts';
import { SplitLedger } from './store.ts';
import { SplitPlace } from './testing/place.ts';

class RecordingStore implements AttemptStore {
  readonly #evidence: Ledger;
  readonly together: string[][] = [];
  readonly ranges: AttemptRange[] = [];
  reads = 0;
  readonly published: string[] = [];
  readonly attempts = new Map<string, string>();
  checkpoint: string | null = null;
  isDown = false;

  constructor(evidence: Ledger) {
    this.#evidence = evidence;
  }

  async *readAttempts(attempts: readonly AttemptRange[]) {
    this.together.push(attempts.map(({ stream }) => stream));
    this.ranges.push(...attempts);
    for (const { stream, from, to } of attempts) {
      for await (const events of this.#evidence.read(stream, { from, to })) {
        const cut = Math.ceil(events.length / 2);
        yield { events: events.slice(0, cut), isLast: false };
        yield { events: events.slice(cut), isLast: events.at(-1)?.revision === to };
      }
      const { length } = await collect(this.#evidence.read(stream));
      if (length <= to) throw new EvidenceMissing(`${stream} has ${length} events`, {});
    }
  }

  async *everything() {
    this.reads += 1;
    for await (const events of this.#evidence.readAll())
      yield { events, foreign: [{ where: 'lab.events/0@7', what: 'it has no value' }] };
  }

  async publishSealed(attempts: readonly CountingAttempt[], checkpoint: string): Promise<void> {
    if (this.isDown) throw new Error('it is down');
    this.published.push(...attempts.map(({ stream, seal }) => `${stream} by ${seal.stream}@${seal.revision}`));
    for (const one of attempts) this.attempts.set(one.stream, JSON.stringify(one));
    this.checkpoint = checkpoint;
  }

  async readPublished(): Promise<Published> {
    return { where: 'lab.sealed', upTo: this.checkpoint, attempts: this.attempts };
  }
}

/** The evidence of a split ledger, with these operations. */
async function opened(store: Ledger | null = null): Promise<{ ledger: SplitLedger; recorder: RecordingStore }> {
  const place = new SplitPlace();
  await (await place.open()).close();
  const decisions = await openSqlite(place.decisions, {});
  const evidence = store ?? (await openSqlite(place.evidence, {}));
  const recorder = new RecordingStore(evidence);
  const both = new Proxy(evidence, {
    get: (_, name) => {
      const owner = name in recorder ? recorder : evidence;
      const value: unknown = Reflect.get(owner, name);
      return typeof value === 'function' ? value.bind(owner) : value;
    },
    has: (_, name) => name in recorder || name in evidence,
  });
  const ledger = new SplitLedger(decisions, Store.of('evidence', both));
  onTestFinished(() => ledger.close());
  return { ledger, recorder };
}

async function attempt(ledger: Ledger, part: number, number = 1, count = 3): Promise<string> {
  const stream = streamOf.evidence(run, 2, part, number);
  const events = Array.from({ length: count }, (_, i) => rolloutIn(stream, i));
  await ledger.append(stream, events, { expect: 'any', isNew: true });
  return stream;
}

const place = { partition: 0, from: 0, to: 2 };

describe('attempts of a store that reads them together', () => {
  it('are read together, and still come in their places', async () => {
    const { ledger, recorder } = await opened();
    const streams = [await attempt(ledger, 0), await attempt(ledger, 1), await attempt(ledger, 2)];
    for (const [i, stream] of streams.entries()) {
      await ledger.append(notesStream, [note(i)], { expect: 'any' });
      await report(ledger, stream);
    }
    const rollouts = (stream = '') => [0, 1, 2].map((i) => `${stream}@${i}`);
    const wanted = streams.flatMap((one, i) => [`${notesStream}@${i}`, `${workStream}@${i}`, ...rollouts(one)]);
    const places = async (options = {}) =>
      (await collect(ledger.readAll(options))).map(({ stream, revision }) => `${stream}@${revision}`);
    expect(await places()).toEqual(wanted);
    expect(recorder.together).toEqual([streams]);
    const { cursor } = (await collect(ledger.readAll()))[3] as { cursor: string };
    expect(await places({ after: cursor })).toEqual(wanted.slice(4));
    expect(recorder.together.at(-1)).toEqual(streams);
    expect(recorder.ranges.at(-3)).toMatchObject({ stream: streams[0], from: 2, to: 2 });
    const few = { streams: [streams[2] as string], types: ['RolloutRecorded'] };
    expect(await places(few)).toEqual(rollouts(streams[2]));
    expect(recorder.together.at(-1)).toEqual(streams.slice(2));
    let digests = '';
    for await (const some of ledger.digests({ after: cursor })) digests += some;
    expect(digests).toBe((await collect(ledger.readAll({ after: cursor }))).map(({ digest }) => digest).join(''));
  });

  it('with missing events are reported like any others', async () => {
    const { ledger } = await opened();
    const stream = await attempt(ledger, 0);
    await ledger.append(workStream, [finished({ stream, count: 5, root: 'a'.repeat(64) })], { expect: 'none' });
    const reading = collect(ledger.readAll());
    await expect(reading).rejects.toBeInstanceOf(EvidenceMissing);
    await expect(reading).rejects.toMatchObject({ stream, missing: 2, facts: { by: `${workStream}@0`, count: 5 } });
  });

  it('are audited together: exactly those with missing or different events are named', async () => {
    const { ledger, recorder } = await opened();
    const root = 'a'.repeat(64);
    const [whole, other, short, last] = await Promise.all([0, 1, 2, 3].map((part) => attempt(ledger, part)));
    await report(ledger, whole);
    for (const [stream, count] of [
      [other, 3],
      [short, 5],
    ] as const)
      await ledger.append(workStream, [finished({ stream: stream ?? '', count, root })], { expect: 'exists' });
    await report(ledger, last);
    const found: string[] = [];
    recorder.together.length = 0;
    for await (const { where, what } of ledger.audit()) found.push(`${where}: ${what}`);
    // Everything in one read.
    expect([recorder.reads, recorder.together]).toEqual([1, []]);
    expect(found).toEqual([
      'evidence: lab.events/0@7: it has no value',
      `evidence: ${other}: it has another Merkle root than ${workStream}@1 reports`,
      `evidence: ${short}: ${workStream}@2 reports 5 events, 3 are there`,
    ]);
  });

  it('are read from their reported places', async () => {
    const { ledger, recorder } = await opened();
    const stream = await attempt(ledger, 0);
    const event = finished(await new AttemptTree(ledger, stream).seal());
    const placed = { ...event, data: { ...(event.data as object), place } };
    await ledger.append(workStream, [placed], { expect: 'none' });
    expect(await collect(ledger.read(stream, { from: 1 }))).toHaveLength(2);
    expect(recorder.ranges.at(-1)).toMatchObject({ stream, from: 1, to: 2, count: 3, place });
  });
});

describe('attempts with a common id', () => {
  const events = async (ledger: Ledger, part: number, number: number, first: number): Promise<string> => {
    const stream = streamOf.evidence(run, 2, part, number);
    const ids = streamOf.evidence(run, 2, 9, 9);
    const shared = [first, first + 1].map((i) => ({ ...rolloutIn(stream, i), id: rolloutIn(ids, i).id }));
    await ledger.append(stream, shared, { expect: 'any', isNew: true });
    return stream;
  };
  const faults = async (ledger: Ledger): Promise<string[]> => {
    const found: string[] = [];
    for await (const { where, what } of ledger.audit()) found.push(`${where}: ${what}`);
    return found.filter((one) => !one.includes('lab.events'));
  };
  const sealedIn = async (ledger: Ledger, ...streams: readonly string[]): Promise<void> => {
    const attempts = await Promise.all(streams.map((one) => new AttemptTree(ledger, one).seal()));
    await ledger.append(runStream, [seal(attempts)], { expect: 'any' });
  };

  /** A store that does not know ids of other streams. */
  const withoutIds = async (): Promise<Ledger> => {
    const log = new MemoryLog(new MemoryServer(), { part: 'evidence' });
    return (await opened(new RemoteLedger(log, new Waits(log.url, 1), false))).ledger;
  };

  it('are sound if one of them was abandoned, and a fault if both count', async () => {
    const ledger = await withoutIds();
    const [left, first, second] = [
      await events(ledger, 0, 0, 0),
      await events(ledger, 0, 1, 0),
      await events(ledger, 0, 2, 1),
    ];
    await report(ledger, left);
    await sealedIn(ledger, first);
    expect(await faults(ledger)).toEqual([]);
    const again = await withoutIds();
    for (const [number, from] of [
      [0, 0],
      [1, 0],
      [2, 1],
    ] as const)
      await events(again, 0, number, from);
    await sealedIn(again, first, second);
    const id = rolloutIn(streamOf.evidence(run, 2, 9, 9), 1).id;
    expect(await faults(again)).toEqual([`evidence: ${second}@0: its id ${id} is also that of evidence: ${first}@1`]);
  });

  it('are a fault if they belong to different parts, whether they count or not', async () => {
    const ledger = await withoutIds();
    const [first, second] = [await events(ledger, 0, 0, 0), await events(ledger, 1, 0, 0)];
    expect(await faults(ledger)).toEqual(
      [0, 1].map((i) => expect.stringContaining(`also that of evidence: ${first}@${i}`)),
    );
    expect(await faults(ledger)).toEqual(
      [0, 1].map((i) => expect.stringContaining(`evidence: ${second}@${i}: its id`)),
    );
  });
});

describe('seals of a store that publishes them', () => {
  it('are published with their attempts; a failure fails no append, and is retried', async () => {
    const { ledger, recorder } = await opened();
    const sealed = async (...streams: string[]) =>
      seal(await Promise.all(streams.map((one) => new AttemptTree(ledger, one).seal())), Number(streams.length));
    const [first, second, lost] = [await attempt(ledger, 0), await attempt(ledger, 1), await attempt(ledger, 0, 2)];
    recorder.isDown = true;
    await ledger.append(runStream, [await sealed(first, second)], { expect: 'none' });
    expect(recorder.published).toEqual([]);
    recorder.isDown = false;
    await ledger.publishSeals();
    const counting = [`${first} by ${runStream}@0`, `${second} by ${runStream}@0`];
    expect(recorder.published).toEqual(counting);
    // The stage is sealed already.
    await ledger.append(runStream, [await sealed(lost)], { expect: 0 });
    expect(recorder.published).toEqual(counting);
    recorder.checkpoint = 'another@7';
    await ledger.publishSeals();
    expect(recorder.published).toEqual([...counting, ...counting]);
  });

  it('are audited: published attempts must equal those that run events seal', async () => {
    const { ledger, recorder } = await opened();
    const [first, second, left] = [await attempt(ledger, 0), await attempt(ledger, 1), await attempt(ledger, 0, 2)];
    const sealed = await Promise.all([first, second].map((one) => new AttemptTree(ledger, one).seal()));
    const faults = async (): Promise<string[]> => {
      const found: string[] = [];
      for await (const { where, what } of ledger.audit()) if (where.endsWith('sealed')) found.push(`${where}: ${what}`);
      return found;
    };
    recorder.isDown = true;
    await ledger.append(runStream, [seal(sealed)], { expect: 'none' });
    // The next process that opens the ledger publishes them.
    expect(await faults()).toEqual([]);
    recorder.isDown = false;
    await ledger.publishSeals();
    expect(await faults()).toEqual([]);
    const { attempts } = recorder;
    const [one = '', two = ''] = [attempts.get(first), attempts.get(second)];
    attempts.set(first, one.replace('"count":3', '"count":2')).set(left, two).delete(second);
    expect(await faults()).toEqual([
      `evidence: lab.sealed: it says that 2 events of ${first} count, ${runStream}@0 seals 3`,
      `evidence: lab.sealed: it says that ${left} counts, and no seal names it`,
      `evidence: lab.sealed: it lacks ${second}, which ${runStream}@0 seals`,
    ]);
    attempts.clear();
    attempts.set(first, 'nonsense').set(second, two.replace(/"root":"./, '"root":"x'));
    expect(await faults()).toEqual([
      `evidence: lab.sealed: its message for ${first} is unreadable`,
      `evidence: lab.sealed: it has another Merkle root for ${second} than ${runStream}@0`,
    ]);
    // The run events are of an older copy: the next opening publishes all their seals again.
    attempts.delete(second);
    attempts.set(first, one);
    recorder.checkpoint = 'another@7';
    expect(await faults()).toEqual([]);
  });
});

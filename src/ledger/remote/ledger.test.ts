// The engine over a log in memory: the parts of the contract that need no other process, and the faults of a server during appends.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { tries } from '../../../schemas/testing/tries.ts';
import { collect, type Fixture } from '../contract/fixture.ts';
import { evidenceStream, note, noteIn, notesStream, rolloutIn, run, someRollouts } from '../contract/samples.ts';
import { sqliteFixture } from '../contract/sqlite-fixture.ts';
import type { Expectation } from '../event.ts';
import type { Appended, Ledger } from '../ledger.ts';
import { inTurn, ledgerOn, memoryContract, opened } from './testing/memory-ledger.ts';
import { type Fault, MemoryLog, MemoryServer } from './testing/memory-log.ts';

memoryContract('sound');

interface Step {
  /** Which of the sessions appends. */
  readonly session: number;
  readonly events: readonly { readonly index: number; readonly isOther: boolean }[];
  readonly expect: Expectation;
}

const step: fc.Arbitrary<Step> = fc.record({
  session: fc.nat({ max: 1 }),
  events: fc.array(
    fc.record({
      index: fc.nat({ max: 8 }),
      isOther: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    }),
    { maxLength: 5 },
  ),
  expect: fc.oneof(
    fc.constantFrom('any' as const, 'none' as const, 'exists' as const),
    fc.integer({ min: -1, max: 8 }),
  ),
});
const faults = fc.array(fc.constantFrom<Fault>('none', 'none', 'lost', 'unheard', 'unsure'), {
  minLength: 1,
  maxLength: 3,
});

async function outcomeOf(append: Promise<Appended>): Promise<unknown> {
  try {
    const { revision, existed, digests } = await append;
    return { revision, existed, digests };
  } catch (error) {
    const { name, facts } = error as { name: string; facts: unknown };
    return { name, facts };
  }
}

describe('two sessions on a server that loses calls and answers', () => {
  let fixture: Fixture;
  let sqlite: Ledger;
  let runs = 0;

  beforeAll(async () => {
    fixture = await sqliteFixture();
    sqlite = await fixture.open(await fixture.fresh());
  });
  afterAll(async () => {
    await sqlite.close();
    await fixture.dispose();
  });

  it.each([
    ['chained', (run: string): string => streamOf.notes(run), noteIn],
    ['evidence', (run: string): string => streamOf.evidence(run, 1, 0, 1), rolloutIn],
  ])('store, answer and refuse as SQLite does: %s', async (_, streamOfRun, make) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 10 }),
        fc.tuple(faults, faults),
        fc.integer({ min: 1, max: 3 }),
        fc.boolean(),
        async (steps, faultsOf, maxAppendEvents, isForgetful) => {
          const stream = streamOfRun(`run${runs++}`);
          const server = new MemoryServer(isForgetful);
          const sessions = faultsOf.map((own) => {
            const faultOfAppend = inTurn<Fault>([...own, 'none', 'none', 'none']);
            return opened(server, { faultOfAppend, traits: { maxAppendEvents } }).ledger;
          });
          for (const { session, events: wanted, expect: expected } of steps) {
            const events = wanted.map(({ index, isOther }): NewEvent => {
              const event = make(stream, index);
              return isOther ? { ...event, actor: 'human/eve' } : event;
            });
            const ledger = sessions[session] as Ledger;
            const outcome = await outcomeOf(sqlite.append(stream, events, { expect: expected }));
            expect(await outcomeOf(ledger.append(stream, events, { expect: expected }))).toEqual(outcome);
          }
          const bodies = server.stream(stream).map(({ body }) => body);
          expect(bodies).toEqual((await collect(sqlite.read(stream))).map(({ body }) => body));
        },
      ),
      { numRuns: tries(40) },
    );
  });

  it('that append concurrently store every event once, and report it once as new', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(faults, { minLength: 3, maxLength: 3 }), async (faultsOf) => {
        const server = new MemoryServer();
        const appended = await Promise.all(
          faultsOf.map(async (own, writer) => {
            const { ledger } = opened(server, {
              faultOfAppend: inTurn<Fault>([...own, 'none', 'none', 'none']),
              beforeAppend: () => new Promise((resolve) => setImmediate(resolve)),
            });
            let isNew = 0;
            for (let i = 0; i < 4; i++) {
              const { existed } = await ledger.append(notesStream, [note(10 * writer + i)], { expect: 'any' });
              isNew += existed.filter((was) => !was).length;
            }
            return isNew;
          }),
        );
        expect(appended).toEqual([4, 4, 4]);
        expect(server.events).toHaveLength(12);
      }),
      { numRuns: 10 },
    );
  });
});

describe('the cost of an append', () => {
  it('a new stream is started and continued without reading it', async () => {
    const { ledger, log } = opened(new MemoryServer());
    await ledger.append(evidenceStream, someRollouts(0, 1_500), { expect: 'any', isNew: true });
    await ledger.append(evidenceStream, someRollouts(1_500, 10), { expect: 'any', isNew: true });
    await ledger.append(evidenceStream, someRollouts(1_510, 10), { expect: 'any' });
    expect(log.calls).toEqual(['append new', 'append', 'append', 'append']);
  });

  it('a stream is read once, and appends of others are read when the server refuses an append', async () => {
    const server = new MemoryServer();
    const { ledger, log } = opened(server);
    const { ledger: other } = opened(server);
    for (let i = 0; i < 3; i++) await ledger.append(notesStream, [note(i)], { expect: i - 1 });
    await other.append(notesStream, [note(3)], { expect: 2 });
    await ledger.append(notesStream, [note(4)], { expect: 'any' });
    expect(log.calls).toEqual(['readStream', 'append', 'append', 'append', 'append', 'readStream', 'append']);
  });

  it('a stream that is wrongly declared new is detected by the server', async () => {
    const server = new MemoryServer();
    await opened(server).ledger.append(evidenceStream, someRollouts(0, 2), { expect: 'any' });
    const { ledger } = opened(server);
    const again = await ledger.append(evidenceStream, someRollouts(1, 2), { expect: 'any', isNew: true });
    expect(again).toMatchObject({ revision: 2, existed: [true, false] });
  });
});

describe('appends of others between two portions of an append', () => {
  const racing = (server: MemoryServer, at: number) => {
    const { ledger: other } = opened(server);
    let calls = 0;
    return async (): Promise<void> => {
      if (++calls === at) await other.append(notesStream, [note(99)], { expect: 'any' });
    };
  };

  it('are followed by the second portion if the caller allows it', async () => {
    const server = new MemoryServer();
    const { ledger } = opened(server, { traits: { maxAppendEvents: 2 }, beforeAppend: racing(server, 2) });
    const appended = await ledger.append(
      notesStream,
      [0, 1, 2, 3].map((i) => note(i)),
      { expect: 'any' },
    );
    expect(appended).toMatchObject({ revision: 4, existed: [false, false, false, false] });
    const ids = server.stream(notesStream).map(({ id }) => id);
    expect(ids).toEqual([0, 1, 99, 2, 3].map((i) => note(i).id));
    expect(appended.digests).toBe(
      [0, 1, 3, 4].map((revision) => server.stream(notesStream)[revision]?.digest).join(''),
    );
  });

  it('leave it partly stored if the caller expects a revision', async () => {
    const server = new MemoryServer();
    const { ledger } = opened(server, { traits: { maxAppendEvents: 2 }, beforeAppend: racing(server, 2) });
    const append = ledger.append(
      notesStream,
      [0, 1, 2, 3].map((i) => note(i)),
      { expect: 'none' },
    );
    await expect(append).rejects.toMatchObject({ name: 'PartlyStored', facts: { stored: 2, of: 4 } });
    expect(server.stream(notesStream)).toHaveLength(3);
  });
});

describe('an unavailable server', () => {
  it('does not delay a caller that stops waiting, and the next append finds what arrived', async () => {
    const server = new MemoryServer();
    const gate = Promise.withResolvers<void>();
    const { ledger } = opened(server, { beforeAppend: () => gate.promise });
    const stop = new AbortController();
    const first = ledger.append(notesStream, [note(0)], { expect: 'none', signal: stop.signal });
    const second = ledger.append(notesStream, [note(0), note(1)], { expect: 'none' });
    setImmediate(() => stop.abort(new Error('stopped')));
    await expect(first).rejects.toThrow('stopped');
    gate.resolve();
    expect(await second).toMatchObject({ revision: 1, existed: [true, false] });
  });

  it('is not written to by a read-only ledger', async () => {
    const ledger = ledgerOn(new MemoryLog(new MemoryServer()), { readOnly: true });
    const append = ledger.append(notesStream, [note(0)], { expect: 'any' });
    await expect(append).rejects.toMatchObject({ name: 'UnsupportedByStore' });
  });
});

describe('finding, reading backwards and auditing', () => {
  it('a run event is found by its id and by a unique prefix; evidence is not searched', async () => {
    const server = new MemoryServer();
    const { ledger } = opened(server);
    await ledger.append(notesStream, [note(0), note(1)], { expect: 'any' });
    await ledger.append(evidenceStream, someRollouts(0, 1), { expect: 'any' });
    const { id } = note(1);
    expect((await ledger.find(id)).map((event) => event.id)).toEqual([id]);
    await opened(server).ledger.append(notesStream, [note(2)], { expect: 'any' });
    expect((await ledger.find(note(2).id.slice(0, 8), 5)).map((event) => event.id)).toContain(note(2).id);
    expect(await ledger.find(someRollouts(0, 1)[0]?.id ?? '')).toEqual([]);
    expect(await ledger.find('xyz')).toEqual([]);
  });

  it('backwards is the reverse order, for any streams', async () => {
    const steps = fc.array(fc.record({ stream: fc.nat({ max: 4 }), count: fc.integer({ min: 1, max: 4 }) }));
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), async (appends, from) => {
        const server = new MemoryServer();
        const { ledger } = opened(server, { losesPage: inTurn([false, true, ...Array<boolean>(40).fill(false)]) });
        let index = 0;
        for (const { stream, count } of appends) {
          const name = streamOf.notes(`r${stream}`);
          const events = Array.from({ length: count }, () => noteIn(name, index++));
          await ledger.append(name, events, { expect: 'any' });
        }
        const all = await collect(ledger.readAll());
        const before = all[from % Math.max(all.length, 1)];
        const place = before === undefined ? {} : { after: before.cursor };
        const wanted = before === undefined ? all : all.slice(0, all.indexOf(before));
        const found = await collect(ledger.readAll({ ...place, backwards: true }));
        expect(found.map(({ digest }) => digest)).toEqual(wanted.map(({ digest }) => digest).reverse());
      }),
      { numRuns: tries(20) },
    );
  });

  it('the last event of many streams costs reading one stream', async () => {
    const { ledger, log } = opened(new MemoryServer());
    for (let i = 0; i < 50; i++)
      await ledger.append(streamOf.notes(`r${i}`), [noteIn(streamOf.notes(`r${i}`), i)], { expect: 'any' });
    log.calls.length = 0;
    expect(await collect(ledger.readAll({ backwards: true, limit: 1 }))).toHaveLength(1);
    expect(log.calls).toEqual(['streams', 'readStream']);
  });

  it('the same id in two streams is a fault, even in attempts of one part', async () => {
    const { ledger } = opened(new MemoryServer());
    for (const [part, attempt] of [
      [0, 0],
      [0, 1],
      [1, 0],
    ] as const)
      await ledger.append(streamOf.evidence(run, 2, part, attempt), someRollouts(0, 1), { expect: 'any' });
    const found: string[] = [];
    for await (const { what } of ledger.audit()) found.push(what);
    expect(found).toHaveLength(2);
    expect(found.at(-1)).toContain(`${streamOf.evidence(run, 2, 0, 0)}@0 has too`);
  });
});

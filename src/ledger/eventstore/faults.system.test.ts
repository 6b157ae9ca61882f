// Faults that a ledger in EventStoreDB survives: lost answers, a server that restarts or loses leadership, dropped
// subscriptions. Nothing acknowledged is lost, and nothing is stored twice.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { randomFrom, testSeed } from '../../base/testing/random.ts';
import { collect } from '../contract/fixture.ts';
import { evidenceStream, note, notesStream, rollout, someRollouts } from '../contract/samples.ts';
import type { Delivery, Ledger, Waiting } from '../ledger.ts';
import { verifyOpened } from '../verify/verify.ts';
import { disturbed } from './testing/disturbed.ts';
import type { Loss } from './testing/faults.ts';
import { foreign, Ledgers } from './testing/ledgers.ts';
import { notLeader } from './testing/refusals.ts';
import type { TestServer } from './testing/server.ts';

let ledgers: Ledgers;
let server: TestServer;
let ledger: Ledger;

const at = (settings = ''): string => `esdb://${server.address}/faults?tls=false${settings}`;

beforeEach(async () => {
  ledgers = new Ledgers();
  server = await ledgers.server();
  ledger = await ledgers.open(at());
});
afterEach(() => ledgers.close());

/** Alternates between two streams, a few events at a time, awaiting each append. */
async function writeAll(to: Ledger, between: () => Promise<void> = async () => {}): Promise<void> {
  for (let i = 0; i < 6; i++) {
    await to.append(notesStream, [note(2 * i), note(2 * i + 1)], { expect: i === 0 ? 'none' : 2 * i - 1 });
    await between();
    await to.append(evidenceStream, someRollouts(3 * i, 3), { expect: 'any' });
    await between();
  }
}

/** All events once, in order, as read on any machine, with matching digests. */
async function expectAll(): Promise<void> {
  await ledgers.elsewhere(async () => {
    const other = await ledgers.open(at(), { readOnly: true });
    const ids = async (stream: string): Promise<string[]> =>
      (await collect(other.read(stream))).map(({ envelope }) => envelope.id);
    expect(await ids(notesStream)).toEqual(Array.from({ length: 12 }, (_, i) => note(i).id));
    expect(await ids(evidenceStream)).toEqual(Array.from({ length: 18 }, (_, i) => rollout(i).id));
    expect((await other.head()).events).toBe(30);
    const { findings } = await verifyOpened(other, { blobs: null, run: null, head: null });
    expect(findings.filter(({ kind }) => kind !== 'unsealed')).toEqual([]);
  });
}

describe('an append succeeds after lost answers', () => {
  for (const how of ['cut', 'restart', 'unavailable', 'timeout'] as const satisfies Loss[]) {
    it(`after each append was stored: ${how}`, async () => {
      server.faults.loseEveryAnswerOnce(how);
      await writeAll(ledger);
      await expectAll();
    });
  }

  it('although it was not stored at first', async () => {
    server.faults.onAppend = ({ attempt }) => (attempt <= 2 ? { lost: 'before', how: 'cut' } : null);
    await writeAll(ledger);
    await expectAll();
  });

  it('of a silent server, within the patience', async () => {
    const hasty = await ledgers.open(at('&patience=1'));
    server.faults.strike({ lost: 'after', how: 'silence' });
    await writeAll(hasty);
    await expectAll();
  });

  it('in the middle of several portions', async () => {
    const large = Array.from({ length: 30 }, (_, i) => note(i, 'x'.repeat(100_000)));
    let piece = 0;
    server.faults.onAppend = ({ attempt }) => (attempt === 1 && ++piece === 2 ? { lost: 'after', how: 'cut' } : null);
    const { revision, existed } = await ledger.append(notesStream, large, { expect: 'none' });
    expect(piece).toBeGreaterThan(2);
    expect([revision, existed.length]).toEqual([29, 30]);
    expect((await collect(ledger.read(notesStream))).map(({ id }) => id)).toEqual(large.map(({ id }) => id));
  });

  it('if another process repeats it', async () => {
    server.faults.strike({ lost: 'after', how: 'silence' });
    const hasty = await ledgers.open(at('&patience=1'));
    const stop = AbortSignal.timeout(200);
    await expect(hasty.append(notesStream, [note(0)], { expect: 'none', signal: stop })).rejects.toThrow();
    const again = await ledgers.elsewhere(() => ledgers.open(at(), {}));
    expect(await again.append(notesStream, [note(0)], { expect: 'none' })).toMatchObject({
      revision: 0,
      existed: [true],
    });
  });
});

describe('a server', () => {
  it('that restarts between any two requests loses nothing', async () => {
    await writeAll(ledger, () => server.restart());
    await expectAll();
  });

  it('that sends its clients to the leader loses nothing', async () => {
    server.faults.onAppend = ({ attempt }) => (attempt === 1 ? { refusal: notLeader(server.endpoint) } : null);
    await writeAll(ledger);
    await expectAll();
  });

  it('that is unavailable is awaited and reported, until an error', async () => {
    const reports: Waiting[] = [];
    const hasty = await ledgers.open(at('&patience=2'), { onWait: (waiting) => reports.push(waiting) });
    await server.restart(async () => {
      await expect(hasty.append(notesStream, [note(0)], { expect: 'none' })).rejects.toMatchObject({
        name: 'ServerAway',
        kind: 'unavailable',
      });
    });
    expect(reports).toMatchObject([{ store: 'ledger', away: { seconds: 2 } }]);
    expect(await hasty.append(notesStream, [note(0)], { expect: 'none' })).toMatchObject({ revision: 0 });
  });
});

describe('subscriptions that are dropped', () => {
  async function idsOf(deliveries: AsyncIterable<Delivery>, count: number): Promise<string[]> {
    const ids: string[] = [];
    for await (const delivery of deliveries) {
      if (delivery.kind === 'events') ids.push(...delivery.events.map(({ id }) => id));
      if (ids.length >= count) break;
    }
    return ids;
  }

  for (const how of ['cut', 'unavailable'] as const) {
    it(`while catching up are resumed where they were: ${how}`, async () => {
      await writeAll(ledger);
      server.faults.dropSubscriptions(7, how, 3);
      await ledgers.elsewhere(async () => {
        const other = await ledgers.open(at(), { readOnly: true });
        expect((await collect(other.readAll())).map(({ id }) => id)).toEqual(
          (await collect(ledger.readAll())).map(({ id }) => id),
        );
      });
    });
  }

  it('while following lose and repeat nothing', async () => {
    const follower = await ledgers.elsewhere(() => ledgers.open(at(), { readOnly: true }));
    server.faults.dropSubscriptions(4, 'cut', 4);
    const following = idsOf(follower.subscribe(), 30);
    await writeAll(ledger, async () => server.faults.cutConnections());
    const ids = await following;
    expect(ids).toEqual((await collect(ledger.readAll())).map(({ id }) => id));
  });
});

describe('a server and its clients', () => {
  it('a follower node sends its clients to the leader, even if the URL names only itself', async () => {
    const leader = await ledgers.server();
    const follower = await ledgers.server({ beside: leader });
    follower.faults.leader = leader.endpoint;
    const there = await ledgers.open(`esdb://${follower.address}/led?tls=false&patience=3`);
    await writeAll(there);
    expect((await there.head()).events).toBe(30);
  });

  it('a subscription continues beyond its patience, however often it is cut off', async () => {
    const follower = await ledgers.elsewhere(() => ledgers.open(at('&patience=1'), { readOnly: true }));
    const deliveries = follower.subscribe()[Symbol.asyncIterator]();
    const started = performance.now();
    let written = 0;
    // For longer than its patience.
    while (performance.now() - started < 1500) {
      server.faults.cutConnections();
      await ledger.append(notesStream, [note(written)], { expect: 'any' });
      for (let ids: string[] = []; !ids.includes(note(written).id); ) {
        const { value } = await deliveries.next();
        const delivery = value as Delivery;
        ids = delivery.kind === 'events' ? delivery.events.map(({ id }) => id) : [];
      }
      written++;
    }
    await deliveries.return?.();
    expect(written).toBeGreaterThan(3);
  });
});

describe('reading everything', () => {
  it('misses nothing, wherever the pages of the server end', async () => {
    const reader = await ledgers.elsewhere(() => ledgers.open(at(), { readOnly: true }));
    // The server reads 32 events at a time, including the identity of the ledger.
    for (let i = 0; i < 70; i++) {
      await ledger.append(notesStream, [note(i)], { expect: 'any' });
      if (i % 7 === 0 || i % 32 > 28) expect(await collect(reader.readAll())).toHaveLength(i + 1);
    }
    expect((await collect(reader.readAll())).map(({ revision }) => revision)).toEqual(
      Array.from({ length: 70 }, (_, i) => i),
    );
  });

  it('is complete although others write to the same server between any two of its events', async () => {
    const client = ledgers.client(server);
    const reader = await ledgers.elsewhere(() => ledgers.open(at(), { readOnly: true }));
    for (let i = 0; i < 20; i++) {
      await client.appendToStream(
        'orders-1',
        Array.from({ length: i % 5 === 0 ? 40 : 1 }, () => foreign(randomUUID())),
      );
      await ledger.append(notesStream, [note(i)], { expect: 'any' });
      expect(await collect(reader.readAll())).toHaveLength(i + 1);
    }
  });
});

describe('two concurrent writes of the same id with different content', () => {
  it('are distinguished: one is stored, and the other one fails', async () => {
    const other = await ledgers.elsewhere(() => ledgers.open(at(), {}));
    for (let i = 0; i < 8; i++) {
      const both = await Promise.allSettled([
        ledger.append(notesStream, [note(i, 'one')], { expect: 'any' }),
        other.append(notesStream, [note(i, 'two')], { expect: 'any' }),
      ]);
      const refused = both.filter((one) => one.status === 'rejected');
      expect(refused.map(({ reason }) => (reason as Error).name)).toEqual(['DuplicateId']);
    }
    const { findings } = await verifyOpened(ledger, { blobs: null, run: null, head: null });
    expect(findings).toEqual([]);
    expect((await ledger.head()).events).toBe(8);
  });
});

describe('an append in several portions', () => {
  it('reports how much of it is stored if another writer comes in between', async () => {
    const other = await ledgers.elsewhere(() => ledgers.open(at(), {}));
    const large = Array.from({ length: 20 }, (_, i) => note(i, 'x'.repeat(100_000)));
    let others: 'to come' | 'coming' | 'there' = 'to come';
    let first: string | undefined;
    server.faults.onAppend = ({ ids }) => {
      if (ids.length > 1) first ??= ids[0];
      if (ids.length === 1 || ids[0] === first || others === 'there') return null;
      if (others === 'to come') {
        others = 'coming';
        void other.append(notesStream, [note(99)], { expect: 'any' }).then(() => {
          others = 'there';
        });
      }
      return { lost: 'before', how: 'unavailable' };
    };
    await expect(ledger.append(notesStream, large, { expect: 'none' })).rejects.toMatchObject({
      name: 'PartlyStored',
      message: expect.stringMatching(/the first \d+ of 20 events are stored/),
    });
  });
});

describe('all faults at random moments', () => {
  const seed = testSeed();
  const drawn = randomFrom(seed);
  it.each([1, 2, 3])(`loses and repeats nothing (seed ${seed}), %i`, async (time) => {
    const { struck, faults } = await disturbed((purpose) => drawn(`eventstore ${time} ${purpose}`));
    expect(faults).toEqual([]);
    expect(struck).toBeGreaterThan(10);
  });
});

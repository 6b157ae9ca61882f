// What a subscription is told, and when: the rules of the true server, tried on it where there is one.
import {
  END,
  eventTypeFilter,
  jsonEvent,
  type Position,
  START,
  StreamDeletedError,
  type SubscribeToAllOptions,
  streamNameFilter,
} from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EventStore, startEventStore } from './eventstore.ts';
import { connect, Listener, newName, said } from './talk.ts';

let store: EventStore;
let client: ReturnType<typeof connect>;

beforeAll(async () => {
  store = await startEventStore();
  client = connect(store.connection);
});

afterAll(async () => {
  await client.dispose();
  await store.stop();
});

function append(stream: string, ...numbers: number[]): ReturnType<typeof client.appendToStream> {
  return client.appendToStream(stream, said(...numbers));
}

describe('a subscription to a stream', () => {
  test('brings what is there, says that it caught up, and then brings what is written', async () => {
    const stream = newName();
    await append(stream, 0, 1);
    const listener = new Listener(client.subscribeToStream(stream, { fromRevision: START }));
    await listener.until('caught up');
    await append(stream, 2);
    await append(newName(), 9);
    await append(stream, 3);
    await listener.until(3);
    await listener.stop();
    expect(listener.told).toEqual(['confirmed', 0, 1, 'caught up', 2, 3]);
  });

  test('begins behind a revision, or with what comes next', async () => {
    const stream = newName();
    await append(stream, 0, 1, 2);
    const behind = new Listener(client.subscribeToStream(stream, { fromRevision: 1n }));
    const next = new Listener(client.subscribeToStream(stream, { fromRevision: END }));
    await Promise.all([behind.until('caught up'), next.until('caught up')]);
    await append(stream, 3);
    await Promise.all([behind.until(3), next.until(3)]);
    await Promise.all([behind.stop(), next.stop()]);
    expect(behind.told).toEqual(['confirmed', 2, 'caught up', 3]);
    expect(next.told).toEqual(['confirmed', 'caught up', 3]);
  });

  test('waits for a stream that is not there yet', async () => {
    const stream = newName();
    const listener = new Listener(client.subscribeToStream(stream, { fromRevision: START }));
    await listener.until('caught up');
    await append(stream, 0);
    await listener.until(0);
    await listener.stop();
    expect(listener.told).toEqual(['confirmed', 'caught up', 0]);
  });

  test('ends with a stream that is gone for good', async () => {
    const stream = newName();
    await append(stream, 0);
    const listener = new Listener(client.subscribeToStream(stream, { fromRevision: START }));
    await listener.until('caught up');
    await client.tombstoneStream(stream);
    expect(await listener.ended).toBeInstanceOf(StreamDeletedError);
    const late = new Listener(client.subscribeToStream(stream, { fromRevision: START }));
    expect(await late.ended).toBeInstanceOf(StreamDeletedError);
  });
});

describe('a subscription to all events', () => {
  function subscribed(prefix: string, options: SubscribeToAllOptions = {}, checkpoints: Position[] = []): Listener {
    const checkpointReached = (_: unknown, position: Position) => void checkpoints.push(position);
    const filter = streamNameFilter({ prefixes: [prefix], checkpointReached, checkpointInterval: 1 });
    return new Listener(client.subscribeToAll({ filter, ...options }));
  }

  test('brings what the filter lets through, from the start and live', async () => {
    const prefix = newName();
    await append(`${prefix}-a`, 0, 1);
    await append(`${prefix}-b`, 2);
    const listener = subscribed(prefix);
    await listener.until('caught up');
    await append(newName(), 9);
    await append(`${prefix}-b`, 3);
    await listener.until(3);
    await listener.stop();
    expect(listener.told).toEqual(['confirmed', 0, 1, 2, 'caught up', 3]);
  });

  test('is filtered by the names of streams or the types of events, by prefixes or a pattern', async () => {
    const prefix = newName();
    const type = `${prefix}-Sung`;
    await append(`${prefix}-a`, 0);
    await client.appendToStream(`${prefix}-b`, jsonEvent({ type, data: { n: 1 } }));
    const filters = [
      [streamNameFilter({ prefixes: ['$none', `${prefix}-a`] }), 0],
      [streamNameFilter({ regex: `^${prefix}-.$` }), 0, 1],
      [eventTypeFilter({ prefixes: [prefix] }), 1],
      [eventTypeFilter({ regex: `${prefix}-S.ng$` }), 1],
    ] as const;
    for (const [filter, ...expected] of filters) {
      const listener = new Listener(client.subscribeToAll({ filter }));
      await listener.until('caught up');
      await listener.stop();
      expect(listener.told).toEqual(['confirmed', ...expected, 'caught up']);
    }
    const unfiltered = new Listener(client.subscribeToAll());
    await unfiltered.until('caught up');
    await unfiltered.stop();
    expect(unfiltered.types).toContainEqual(expect.stringMatching(/^\$/));
    expect(unfiltered.types).toContain(type);
  });

  test('goes on behind the position of the last event one has', async () => {
    const prefix = newName();
    const { position } = await append(prefix, 0);
    await append(prefix, 1);
    if (position === undefined) throw new Error('no position');
    const listener = subscribed(prefix, { fromPosition: position });
    await listener.until('caught up');
    const fromEnd = subscribed(prefix, { fromPosition: END });
    await fromEnd.until('caught up');
    await append(prefix, 2);
    await Promise.all([listener.until(2), fromEnd.until(2)]);
    await Promise.all([listener.stop(), fromEnd.stop()]);
    expect(listener.told).toEqual(['confirmed', 1, 'caught up', 2]);
    expect(fromEnd.told).toEqual(['confirmed', 'caught up', 2]);
  });

  test('says how far it looked, so that who comes back need not look at that again', async () => {
    const prefix = newName();
    await append(prefix, 0);
    await append(newName(), ...Array.from({ length: 100 }, () => 9));
    const checkpoints: Position[] = [];
    const first = subscribed(prefix, {}, checkpoints);
    await first.until('caught up');
    await append(newName(), ...Array.from({ length: 100 }, () => 9));
    await append(prefix, 1);
    await first.until(1);
    await first.stop();
    expect(checkpoints.length).toBeGreaterThanOrEqual(4);
    expect(checkpoints).toEqual(checkpoints.toSorted((a, b) => Number(a.commit - b.commit)));
    const last = checkpoints.at(-1);
    if (last === undefined) throw new Error('no checkpoint');
    const second = subscribed(prefix, { fromPosition: last });
    await second.until('caught up');
    await append(prefix, 2);
    await second.until(2);
    await second.stop();
    expect([...first.told, ...second.told].filter((told) => typeof told === 'number')).toEqual(
      expect.arrayContaining([0, 1, 2]),
    );
  });

  test('does not begin in the middle of an event', async () => {
    const { position } = await append(newName(), 0);
    if (position === undefined) throw new Error('no position');
    const inside = { commit: position.commit + 3n, prepare: position.prepare + 3n };
    await append(newName(), 1);
    const listener = new Listener(client.subscribeToAll({ fromPosition: inside }));
    expect(await listener.ended).toMatchObject({ code: 3, message: expect.stringContaining('invalid position') });
  });

  test('misses nothing and brings nothing twice while much is written', async () => {
    const prefix = newName();
    const numbers = Array.from({ length: 400 }, (_, n) => n);
    await append(prefix, ...numbers.slice(0, 100));
    const listener = subscribed(prefix);
    for (let n = 100; n < 400; n += 50) await append(prefix, ...numbers.slice(n, n + 50));
    await listener.until(399);
    await listener.stop();
    expect(listener.told.filter((told) => typeof told === 'number')).toEqual(numbers);
  });
});

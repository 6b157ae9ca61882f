// What is read of streams and of all events, and what their metadata hide: the rules of the true server, tried on it
// where there is one.
import {
  BACKWARDS,
  END,
  FORWARDS,
  jsonEvent,
  NO_STREAM,
  type Position,
  type ReadAllOptions,
  StreamNotFoundError,
} from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EventStore, startEventStore } from './eventstore.ts';
import { collected, connect, heard, newName, numberIn, said } from './talk.ts';

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

async function streamOf(count: number, name = newName()): Promise<string> {
  const events = said(...Array.from({ length: count }, (_, n) => n));
  await client.appendToStream(name, events, { expectedRevision: NO_STREAM });
  return name;
}

describe('a stream', () => {
  test('is read from either end, from a revision on, as far as one likes', async () => {
    const stream = await streamOf(5);
    const read = (options: Parameters<typeof client.readStream>[1]) => heard(client.readStream(stream, options));
    expect(await read({})).toEqual([0, 1, 2, 3, 4]);
    expect(await read({ fromRevision: 3n })).toEqual([3, 4]);
    expect(await read({ fromRevision: 1n, maxCount: 2 })).toEqual([1, 2]);
    expect(await read({ fromRevision: 9n })).toEqual([]);
    expect(await read({ direction: BACKWARDS, fromRevision: END })).toEqual([4, 3, 2, 1, 0]);
    expect(await read({ direction: BACKWARDS, fromRevision: 2n, maxCount: 2 })).toEqual([2, 1]);
    expect(await read({ direction: BACKWARDS, fromRevision: 99n, maxCount: 1 })).toEqual([4]);
  });

  test('brings events back as they were sent, with what the server knows of them', async () => {
    const stream = newName();
    const before = Date.now();
    const event = jsonEvent({ type: 'Said', data: { n: 1 }, metadata: { $causationId: 'a', list: [1] } });
    const { position } = await client.appendToStream(stream, event);
    const [found] = await collected(client.readStream(stream));
    expect(found?.event).toMatchObject({
      ...{ id: event.id, type: 'Said', data: { n: 1 }, metadata: { $causationId: 'a', list: [1] } },
      ...{ streamId: stream, revision: 0n, isJson: true, position },
    });
    expect(found?.event?.created.getTime()).toBeGreaterThanOrEqual(before - 60_000);
    expect(found?.commitPosition).toBe(position?.commit);
  });

  test('that is not there is not found', async () => {
    await expect(heard(client.readStream(newName()))).rejects.toThrow(StreamNotFoundError);
  });

  test.each([
    ['$maxCount', { maxCount: 2 }, [3, 4]],
    ['$tb', { truncateBefore: 4 }, [4]],
    ['$tb behind its end', { truncateBefore: 9 }, []],
    ['both', { maxCount: 3, truncateBefore: 1 }, [2, 3, 4]],
  ])('shows only what %s leaves, and is not taken for missing', async (_, metadata, left) => {
    const stream = await streamOf(5);
    await client.setStreamMetadata(stream, metadata);
    expect(await heard(client.readStream(stream))).toEqual(left);
    expect(await heard(client.readStream(stream, { fromRevision: 0n, maxCount: 2 }))).toEqual(left.slice(0, 2));
    const backwards = client.readStream(stream, { direction: BACKWARDS, fromRevision: END });
    expect(await heard(backwards)).toEqual(left.toReversed());
    expect(await client.getStreamMetadata(stream)).toMatchObject({ metadata });
  });

  test('shows what is young enough for $maxAge', async () => {
    const stream = await streamOf(3);
    await client.setStreamMetadata(stream, { maxAge: 3600 });
    expect(await heard(client.readStream(stream))).toEqual([0, 1, 2]);
  });

  test('keeps its revisions whatever it shows', async () => {
    const stream = await streamOf(3);
    await client.setStreamMetadata(stream, { maxCount: 1 });
    const more = await client.appendToStream(stream, said(3), { expectedRevision: 2n });
    expect(more.nextExpectedRevision).toBe(3n);
    expect(await heard(client.readStream(stream))).toEqual([3]);
  });

  test('that was deleted is there again, and empty, once its metadata are set', async () => {
    const stream = await streamOf(3);
    await client.deleteStream(stream);
    await client.setStreamMetadata(stream, { maxCount: 5 });
    expect(await heard(client.readStream(stream))).toEqual([]);
    expect(await client.getStreamMetadata(stream)).toMatchObject({ metadata: { maxCount: 5, truncateBefore: 3 } });
    await client.appendToStream(stream, said(3), { expectedRevision: 2n });
    expect(await heard(client.readStream(stream))).toEqual([3]);
  });

  test('of metadata shows the last only, however often they were set', async () => {
    const stream = await streamOf(1);
    for (const maxCount of [5, 6, 7]) await client.setStreamMetadata(stream, { maxCount });
    const all = await collected(client.readStream(`$$${stream}`));
    expect(all.map(({ event }) => event?.revision)).toEqual([2n]);
  });
});

describe('all events', () => {
  async function heardOf(prefix: string, options: ReadAllOptions = {}): Promise<unknown[]> {
    const all = await collected(client.readAll(options));
    return all.flatMap(({ event }) => (event?.streamId.startsWith(prefix) ? [numberIn(event.data)] : []));
  }

  async function placesOf(stream: string): Promise<Position[]> {
    const all = await collected(client.readStream(stream));
    return all.flatMap(({ event }) => (event?.position === undefined ? [] : [event.position]));
  }

  test('stand in the order of their positions, which are equal and grow by leaps', async () => {
    const places = await placesOf(await streamOf(3));
    for (const { commit, prepare } of places) expect(commit).toBe(prepare);
    const [first = 0n, second = 0n, third = 0n] = places.map(({ commit }) => commit);
    expect(second - first).toBeGreaterThan(1n);
    expect(third).toBeGreaterThan(second);
  });

  test('are read from a position, with the event there, and backwards without it', async () => {
    const prefix = newName();
    const [, , fromPosition] = await placesOf(await streamOf(4, prefix));
    if (fromPosition === undefined) throw new Error('no position');
    expect(await heardOf(prefix, { fromPosition })).toEqual([2, 3]);
    expect(await heardOf(prefix, { fromPosition, maxCount: 1 })).toEqual([2]);
    expect(await heardOf(prefix, { fromPosition, direction: BACKWARDS, maxCount: 2 })).toEqual([1, 0]);
    expect(await heardOf(prefix, { fromPosition: END })).toEqual([]);
    expect(await heardOf(prefix, { fromPosition: END, direction: BACKWARDS })).toEqual([3, 2, 1, 0]);
  });

  test('hold those of the system, and each event once', async () => {
    await streamOf(100);
    const all = await collected(client.readAll());
    expect(new Set(all.map(({ event }) => event?.position?.commit)).size).toBe(all.length);
    expect(all.some(({ event }) => event?.streamId.startsWith('$') && event.type.startsWith('$'))).toBe(true);
  });

  test('keep what their streams no longer show, until it is scavenged', async () => {
    const prefix = newName();
    await client.setStreamMetadata(await streamOf(3, `${prefix}-a`), { maxCount: 1 });
    await client.deleteStream(await streamOf(2, `${prefix}-b`));
    expect(await heardOf(prefix)).toEqual([0, 1, 2, 0, 1]);
  });

  test('of a stream that is gone for good end with its tombstone', async () => {
    const stream = await streamOf(1);
    await client.tombstoneStream(stream);
    const all = await collected(client.readAll());
    const found = all.flatMap(({ event }) => (event?.streamId === stream ? [event] : []));
    expect(found.map(({ type }) => type)).toEqual(['Said', '$streamDeleted']);
    expect(found.at(-1)?.revision).toBe(9223372036854775807n);
  });

  test('are not read from the middle of one', async () => {
    const [first] = await placesOf(await streamOf(1));
    if (first === undefined) throw new Error('no position');
    const inside = { commit: first.commit + 3n, prepare: first.prepare + 3n };
    await expect(heard(client.readAll({ fromPosition: inside, direction: FORWARDS }))).rejects.toThrow(
      'InvalidPosition',
    );
  });
});

test('a long read goes on while others write', async () => {
  const stream = await streamOf(500);
  const found: unknown[] = [];
  for await (const { event } of client.readStream(stream)) {
    if (found.length === 0) await client.appendToStream(newName(), said(1));
    found.push(numberIn(event?.data));
  }
  expect(found).toHaveLength(500);
});

// What an append may expect, and when one that comes again counts as done: the rules of the true server, tried on it
// where there is one.
import {
  ANY,
  type AppendExpectedRevision,
  MaxAppendSizeExceededError,
  NO_STREAM,
  STREAM_EXISTS,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EventStore, startEventStore } from './eventstore.ts';
import { collected, connect, heard, newName, type Said, said } from './talk.ts';

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

/** With credentials, the client takes the call that appends once. */
const calls = [
  { call: 'BatchAppend', options: {} },
  { call: 'Append', options: { credentials: { username: 'admin', password: 'changeit' } } },
];

describe.each(calls)('an append by $call', ({ options }) => {
  const append = (stream: string, events: Said[], expectedRevision: AppendExpectedRevision) =>
    client.appendToStream(stream, events, { expectedRevision, ...options });

  async function streamOf(count: number): Promise<{ stream: string; events: Said[] }> {
    const stream = newName();
    const events = said(...Array.from({ length: count }, (_, n) => n));
    await append(stream, events, NO_STREAM);
    return { stream, events };
  }

  test('is answered with its last revision and its last position', async () => {
    const stream = newName();
    const { success, nextExpectedRevision, position } = await append(stream, said(0, 1, 2), NO_STREAM);
    expect({ success, nextExpectedRevision }).toEqual({ success: true, nextExpectedRevision: 2n });
    const [last] = await collected(client.readStream(stream, { direction: 'backwards', fromRevision: 'end' }));
    expect(last?.event?.position).toEqual(position);
  });

  test.each([
    ['a stream that is not there', NO_STREAM],
    ['the revision before', 1n],
    ['a later revision', 9n],
  ] as const)('is refused when it expects %s, with what is there', async (_, expectedRevision) => {
    const { stream } = await streamOf(3);
    const refused = await append(stream, said(7), expectedRevision).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(WrongExpectedVersionError);
    expect(refused).toMatchObject({ streamName: stream, actualVersion: 2n, expectedVersion: expectedRevision });
    expect(await heard(client.readStream(stream))).toEqual([0, 1, 2]);
  });

  test.each([[STREAM_EXISTS], [0n]] as const)(
    'is refused when it expects %s of no stream',
    async (expectedRevision) => {
      const refused = await append(newName(), said(1), expectedRevision).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(WrongExpectedVersionError);
      expect(refused).toMatchObject({ actualVersion: 'no_stream', expectedVersion: expectedRevision });
    },
  );

  test.each([[ANY], [STREAM_EXISTS], [2n]] as const)('is written when it expects %s', async (expectedRevision) => {
    const { stream } = await streamOf(3);
    expect(await append(stream, said(3), expectedRevision)).toMatchObject({ nextExpectedRevision: 3n });
  });

  test('that comes again at the same revision is written once, and is answered alike', async () => {
    const { stream, events } = await streamOf(2);
    const more = said(2, 3);
    const first = await append(stream, more, 1n);
    await append(stream, said(4), 3n);
    expect(await append(stream, more, 1n)).toEqual(first);
    expect(await append(stream, events, NO_STREAM)).toMatchObject({ nextExpectedRevision: 1n });
    expect(await heard(client.readStream(stream))).toEqual([0, 1, 2, 3, 4]);
  });

  test('that comes again soon, whatever is there, is written once', async () => {
    const { stream } = await streamOf(1);
    const more = said(1, 2);
    const first = await append(stream, more, ANY);
    expect(await append(stream, more, ANY)).toEqual(first);
    expect(await append(stream, more, STREAM_EXISTS)).toEqual(first);
    expect(await heard(client.readStream(stream))).toEqual([0, 1, 2]);
  });

  test('of which some events are there already and some are not is refused', async () => {
    const { stream, events } = await streamOf(2);
    const [first, second] = events;
    if (first === undefined || second === undefined) throw new Error('no events');
    const [other] = said(9);
    if (other === undefined) throw new Error('no event');
    await expect(append(stream, [first, second, other], NO_STREAM)).rejects.toThrow(WrongExpectedVersionError);
    await expect(append(stream, [second, other], ANY)).rejects.toThrow(WrongExpectedVersionError);
    expect(await heard(client.readStream(stream))).toEqual([0, 1]);
  });

  test('with new events before known ones is written, so that these are there twice', async () => {
    const { stream, events } = await streamOf(2);
    await append(stream, [...said(9), ...events], ANY);
    expect(await heard(client.readStream(stream))).toEqual([0, 1, 9, 0, 1]);
  });

  test('whose ids are known from another stream is written', async () => {
    const { events } = await streamOf(2);
    const other = newName();
    await append(other, events, ANY);
    expect(await heard(client.readStream(other))).toEqual([0, 1]);
  });

  test('at the head with ids that are there already is written again', async () => {
    const { stream, events } = await streamOf(2);
    await append(stream, events, 1n);
    expect(await heard(client.readStream(stream))).toEqual([0, 1, 0, 1]);
  });

  test('of a deleted stream goes on where it was', async () => {
    const { stream, events } = await streamOf(3);
    await client.deleteStream(stream);
    await expect(heard(client.readStream(stream))).rejects.toThrow(StreamNotFoundError);
    await expect(append(stream, said(3), STREAM_EXISTS)).rejects.toThrow(StreamDeletedError);
    expect(await append(stream, said(3), NO_STREAM)).toMatchObject({ nextExpectedRevision: 3n });
    expect(await heard(client.readStream(stream))).toEqual([3]);
    expect(await client.getStreamMetadata(stream)).toMatchObject({ metadata: { truncateBefore: 3 } });
    expect(await append(stream, events, NO_STREAM)).toMatchObject({ nextExpectedRevision: 2n });
  });

  test('to a stream that is gone for good is refused', async () => {
    const { stream } = await streamOf(1);
    await client.tombstoneStream(stream);
    for (const expectedRevision of [ANY, NO_STREAM, STREAM_EXISTS, 0n] as const) {
      const refused = await append(stream, said(1), expectedRevision).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(StreamDeletedError);
      expect(refused).toMatchObject({ streamName: stream });
    }
    await expect(heard(client.readStream(stream))).rejects.toThrow(StreamDeletedError);
  });

  test('may hold a mebibyte, types counted twice, and not a byte more', async () => {
    const limit = 1024 * 1024;
    const stream = newName();
    const [event] = said(1);
    if (event === undefined) throw new Error('no event');
    const filler = (bytes: number) => ({ ...event, data: { n: 1, text: 'x'.repeat(bytes) } });
    const overhead = Buffer.byteLength(JSON.stringify({ n: 1, text: '' })) + 2 * 'Said'.length;
    await append(stream, [filler(limit - overhead)], NO_STREAM);
    const refused = await append(stream, [filler(limit - overhead + 1)], 0n).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(MaxAppendSizeExceededError);
    expect(refused).toMatchObject({ maxAppendSize: limit });
    await expect(append(stream, [filler(limit / 2), filler(limit / 2)], 0n)).rejects.toThrow(
      MaxAppendSizeExceededError,
    );
  });
});

test('a large append comes in several messages and is written in one go', async () => {
  const stream = newName();
  const events = said(...Array.from({ length: 300 }, (_, n) => n));
  const options = { expectedRevision: NO_STREAM, batchAppendSize: 1000 } as const;
  expect(await client.appendToStream(stream, events, options)).toMatchObject({ nextExpectedRevision: 299n });
  expect(await heard(client.readStream(stream))).toHaveLength(300);
});

test('an append that comes too late is refused', async () => {
  const late = client.appendToStream(newName(), said(1), { deadline: -1000 });
  await expect(late).rejects.toMatchObject({ type: 'deadline-exceeded' });
});

test('appends of many at once to one stream are told apart: one wins, the others learn what is there', async () => {
  const stream = newName();
  const attempts = Array.from({ length: 20 }, (_, n) =>
    client.appendToStream(stream, said(n), { expectedRevision: NO_STREAM }),
  );
  const results = await Promise.allSettled(attempts);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await heard(client.readStream(stream))).toHaveLength(1);
});

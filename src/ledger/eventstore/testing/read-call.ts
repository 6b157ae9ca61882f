// The call that reads and subscribes. What it answers is sent as fast as the client takes it.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream } from '@grpc/grpc-js';
import type { Database } from './database.ts';
import { matching } from './filters.ts';
import { allBackwards, allForwards, pageSize } from './pages.ts';
import { at, logStart, type Position } from './positions.ts';
import { bytesOf, identifier, type Recorded } from './recorded.ts';
import { invalidArgument, streamDeleted, unknownResult } from './refusals.ts';
import { type Filter, subscriptionToAll, subscriptionToStream, type Told } from './subscriptions.ts';

export type ReadCall = ServerWritableStream<streams.ReadReq, Buffer>;
type Options = streams.ReadReq.Options;

/** Told of each event that goes out to a subscription, before it does; what it throws ends the subscription. */
export type OnEvent = (sent: number) => void;

/** Null for the log of all events. */
export function streamRead(request: streams.ReadReq): string | null {
  const name = request.getOptions()?.getStream()?.getStreamIdentifier()?.getStreamName_asU8();
  return name === undefined ? null : Buffer.from(name).toString();
}

export async function read(database: Database, call: ReadCall, onEvent: OnEvent): Promise<void> {
  const options = call.request.getOptions();
  const ended = new AbortController();
  call.on('cancelled', () => ended.abort());
  call.on('error', () => ended.abort());
  if (options === undefined || !options.hasUuidOption()) throw invalidArgument('`uuidOption` is a required argument');
  if (!options.getUuidOption()?.hasString()) throw invalidArgument('the test server gives ids as text only');
  const name = streamRead(call.request);
  if (!options.hasSubscription()) return send(call, readOnce(database, name, options), ended.signal);
  await send(call, confirmed(subscription(database, name, options, ended.signal), onEvent), ended.signal);
}

async function send(
  call: ReadCall,
  answers: Iterable<Buffer> | AsyncIterable<Buffer>,
  ended: AbortSignal,
): Promise<void> {
  for await (const answer of answers) {
    if (ended.aborted) return;
    if (call.write(answer)) continue;
    // A call that was cut never drains.
    await once(call, 'drain', { signal: ended }).catch(() => {});
  }
  call.end();
}

function* readOnce(database: Database, name: string | null, options: Options): Generator<Buffer> {
  const events = name === null ? allEvents(database, options) : streamEvents(database, name, options);
  if (events === null) {
    const missing = new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifier(name ?? ''));
    return yield bytesOf(new streams.ReadResp().setStreamNotFound(missing));
  }
  for (const { answer } of events) yield answer;
}

function streamEvents(database: Database, name: string, options: Options): Iterable<Recorded> | null {
  if (database.isTombstoned(name)) throw streamDeleted(name);
  const stream = database.stream(name);
  if (stream.last < 0 || stream.isSoftDeleted) return null;
  const from = revisionIn(options);
  const count = countIn(options);
  if (isBackwards(options)) return stream.backwards(from ?? stream.last, count, Date.now());
  return stream.forwards(from ?? Number.POSITIVE_INFINITY, count, Date.now());
}

/** The client has no way to filter what it reads, only what it subscribes to. */
function allEvents(database: Database, options: Options): Iterable<Recorded> {
  const place = positionIn(options) ?? at(database.end);
  const ordered = isBackwards(options) ? allBackwards : allForwards;
  return ordered(database, place, countIn(options));
}

function subscription(
  database: Database,
  name: string | null,
  options: Options,
  ended: AbortSignal,
): AsyncIterable<Told> {
  if (name !== null) return subscriptionToStream(database, name, revisionIn(options, -1), ended);
  const from = options.getAll()?.hasStart() ? logStart : positionIn(options);
  return subscriptionToAll(database, from, filterIn(options), ended);
}

async function* confirmed(told: AsyncIterable<Told>, onEvent: OnEvent): AsyncGenerator<Buffer> {
  const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID());
  yield bytesOf(new streams.ReadResp().setConfirmation(confirmation));
  let sent = 0;
  for await (const each of told) {
    if (each.kind === 'event') onEvent(sent++);
    yield answerOf(each);
  }
}

function answerOf(told: Told): Buffer {
  if (told.kind === 'event') return told.event.answer;
  if (told.kind === 'caught-up') return bytesOf(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()));
  const checkpoint = new streams.ReadResp.Checkpoint()
    .setCommitPosition(`${told.position.commit}`)
    .setPreparePosition(`${told.position.prepare}`);
  return bytesOf(new streams.ReadResp().setCheckpoint(checkpoint));
}

/** Null for the end. */
function revisionIn(options: Options, start = 0): number | null {
  const stream = options.getStream();
  if (stream?.hasEnd()) return null;
  return stream?.hasRevision() ? Number(stream.getRevision()) : start;
}

/** Null for the end. */
function positionIn(options: Options): Position | null {
  const all = options.getAll();
  const position = all?.getPosition();
  if (position === undefined) return all?.hasEnd() ? null : at(0);
  return { commit: Number(position.getCommitPosition()), prepare: Number(position.getPreparePosition()) };
}

function filterIn(options: Options): Filter | null {
  const filter = options.getFilter();
  const matches = filter === undefined ? null : matching(filter);
  if (filter === undefined || matches === null) return null;
  const window = filter.hasMax() ? filter.getMax() : pageSize;
  const multiplier = filter.getCheckpointintervalmultiplier();
  if (multiplier === 0) throw unknownResult('checkpoint interval of 0');
  return { matches, window, interval: multiplier * window };
}

function countIn(options: Options): number {
  return Number(options.getCount());
}

function isBackwards(options: Options): boolean {
  return options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
}

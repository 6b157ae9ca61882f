// What is wrong with a ledger in Kafka that only the store can see: settings that lose history, records that were sent and do
// not count, an id that stands in two streams, an index that says something else than the log.
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { StoreFault } from '../ledger.ts';
import type { LaneState } from './index/admitting.ts';
import { openIndexFile, scratchIn } from './index/file.ts';
import { Index, type Refused } from './index/index.ts';
import { storedOf } from './known-ids.ts';
import type { Lane, Lanes } from './lanes.ts';
import type { Log } from './log.ts';
import type { StreamReading } from './stream-reading.ts';
import { losing } from './topics.ts';
import type { Transport } from './transport/transport.ts';

export interface AuditOptions {
  /** Everything is read again, and the index held against it. */
  readonly wholly: boolean;
  readonly signal: AbortSignal;
}

export async function* auditLog(
  transport: Transport,
  log: Log,
  reading: StreamReading,
  { wholly, signal }: AuditOptions,
): AsyncGenerator<StoreFault> {
  yield* settingsThatLose(transport, log.lanes);
  const { all } = log.lanes;
  await log.takeAllIn(all, await log.ends(all), signal);
  for (const lane of all) yield* refusals(log, reading, lane, signal);
  if (wholly) yield* withFreshIndex(log, (fresh) => differences(log, fresh, signal));
}

async function* settingsThatLose(transport: Transport, lanes: Lanes): AsyncGenerator<StoreFault> {
  const topics = [...new Set(lanes.all.map(({ topic }) => topic))];
  for (const found of await transport.describe(topics)) {
    if (found === null) continue;
    for (const { topic, setting, found: value, does, wanted } of losing(found)) {
      yield { where: topic, what: `${setting} is ${value}, ${does}: it must be ${wanted}` };
    }
  }
}

/** What was sent again, or came second and was sent again, is no fault. What was sent and is nowhere, is. */
async function* refusals(
  log: Log,
  reading: StreamReading,
  lane: Lane,
  signal: AbortSignal,
): AsyncGenerator<StoreFault> {
  for (let after = -1; ; ) {
    const page = log.index.refused(lane.number, after);
    const there = await thoseThere(log, reading, page, signal);
    for (const refused of page) {
      if (refused.why === 'empty' || there.has(refused)) continue;
      yield { where: `${lane.topic}/${lane.partition} at ${refused.first}`, what: faultOf(refused) };
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.first;
  }
}

/** Those whose events are in their streams all the same. */
async function thoseThere(
  log: Log,
  reading: StreamReading,
  page: readonly Refused[],
  signal: AbortSignal,
): Promise<ReadonlySet<Refused>> {
  const there = new Set<Refused>();
  for (const [stream, those] of Map.groupBy(page, (refused) => refused.stream)) {
    const found = stream === null ? null : log.index.stream(stream);
    if (stream === null || found === null) continue;
    const ids = [...new Set(those.flatMap(({ id }) => (id === null ? [] : [id])))];
    const stored = await storedOf(ids, found, log.index, (revisions) => reading.readKnown(stream, revisions, signal));
    for (const refused of those) if (refused.id !== null && stored.has(refused.id)) there.add(refused);
  }
  return there;
}

const reasons: Readonly<Record<string, string>> = {
  late: 'its place was taken by another event',
  gap: 'events before it are missing',
  unchained: 'it follows another event than the one that is there',
  fenced: 'another writer had taken the stream over',
};

function faultOf({ why, stream, revision, id, count, because, isCopied }: Refused): string {
  if (stream === null) {
    const what = count === 1 ? 'a record that is' : `${count} records that are`;
    const copy = isCopied
      ? 'told of among the rejected'
      : 'not copied yet to the rejected: whoever may write to it does so';
    return `${what} no event: ${because}; ${copy}`;
  }
  return `event ${id}, sent as ${stream}@${revision}, does not count, and is nowhere else: ${reasons[why] ?? why}`;
}

/** The log read once more, by an index that knows nothing yet. */
async function* withFreshIndex(log: Log, body: (fresh: Log) => AsyncGenerator<StoreFault>): AsyncGenerator<StoreFault> {
  const { folder, path } = scratchIn(dirname(log.indexPath));
  const index = new Index(await openIndexFile(path, log.lanes.count), log.lanes);
  try {
    yield* body(log.with(index, path));
  } finally {
    index.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function* differences(log: Log, fresh: Log, signal: AbortSignal): AsyncGenerator<StoreFault> {
  const ids = fresh.index.collectIds();
  const known = log.index.lanes();
  for (const lane of log.lanes.all) {
    const { next, events } = known[lane.number] ?? { next: 0, events: 0 };
    for (let offset = 0; offset < next; ) {
      const page = await fresh.page(lane, offset, next, signal);
      ids.add(page.events.map(({ placed }) => placed));
      offset = page.next;
    }
    const found = fresh.index.countIn(lane.number, 0, next);
    if (found === events) continue;
    const what = `${found} events count; the index of this machine says ${events}: ${remadeOf(log)}`;
    yield { where: `${lane.topic}/${lane.partition}`, what };
  }
  for (const { id, streams } of ids.twice()) {
    const what = `${streams.length > 1 ? 'both have an event' : 'has more than one event'} with the id ${id}`;
    yield { where: streams.join(' and '), what };
  }
  yield* otherStreams(log, fresh, known);
}

/**
 * As many events may be others, where a topic was removed and made again. Of a stream that others have taken in further since
 * the lanes stood so, nothing can be said.
 */
function* otherStreams(log: Log, fresh: Log, known: readonly LaneState[]): Generator<StoreFault> {
  const isAsKnown = (name: string): boolean => {
    const [there, found] = [log.index.stream(name), fresh.index.stream(name)];
    if (there !== null && there.at >= (known[there.lane]?.next ?? 0)) return true;
    return there?.last === found?.last && there?.next === found?.next;
  };
  for (const index of [log.index, fresh.index]) {
    for (const name of namesIn(index)) {
      const isTold = index === fresh.index && log.index.stream(name) !== null;
      if (isTold || isAsKnown(name)) continue;
      yield { where: name, what: `has another last event than the index of this machine says: ${remadeOf(log)}` };
    }
  }
}

function* namesIn(index: Index): Generator<string> {
  for (let after = ''; ; ) {
    const page = index.streams('', after);
    for (const { name } of page) yield name;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.name;
  }
}

function remadeOf({ indexPath }: Log): string {
  return `delete ${dirname(indexPath)}, it is made anew`;
}

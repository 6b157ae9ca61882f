// What is wrong with a ledger in Kafka that only the store can see: settings that lose history, records that were sent and do
// not count, an id that stands in two streams, an index that says something else than the log.
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { temporaryPath } from '../blobs/temporary.ts';
import type { StoreFault } from '../ledger.ts';
import { openIndexFile } from './index/file.ts';
import { Index, type Refused } from './index/index.ts';
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
    for (const { topic, setting, found: value, wanted } of losing(found)) {
      yield { where: topic, what: `${setting} is ${value}, which removes history: it must be ${wanted}` };
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
    for (const refused of page) {
      if (await isHarmless(log, reading, refused, signal)) continue;
      yield { where: `${lane.topic}/${lane.partition} at ${refused.first}`, what: faultOf(refused) };
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.first;
  }
}

async function isHarmless(log: Log, reading: StreamReading, refused: Refused, signal: AbortSignal): Promise<boolean> {
  const { why, stream, id } = refused;
  if (why === 'empty') return true;
  const found = stream === null ? null : log.index.stream(stream);
  const place = found === null || id === null ? null : log.index.placeOfId(found.number, id);
  if (place === null || stream === null) return false;
  for await (const events of reading.read(stream, place, signal)) {
    if (events.some(({ filedId }) => filedId === id)) return true;
  }
  return false;
}

const reasons: Readonly<Record<string, string>> = {
  late: 'its place was taken by another event',
  gap: 'events before it are missing',
  unchained: 'it follows another event than the one that is there',
  fenced: 'another writer had taken the stream over',
};

function faultOf({ why, stream, revision, id }: Refused): string {
  if (stream === null) return 'a record that says of no event where it belongs; a copy of it is among the rejected';
  return `event ${id}, sent as ${stream}@${revision}, does not count, and is nowhere else: ${reasons[why] ?? why}`;
}

/** The log read once more, by an index that knows nothing yet. */
async function* withFreshIndex(log: Log, body: (fresh: Log) => AsyncGenerator<StoreFault>): AsyncGenerator<StoreFault> {
  const path = temporaryPath(dirname(log.indexPath));
  const index = new Index(await openIndexFile(path, log.lanes.count), log.lanes);
  try {
    yield* body(log.with(index, path));
  } finally {
    index.close();
    for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
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
    const what = `${found} events count; the index of this machine says ${events}: delete ${dirname(log.indexPath)}, it is made anew`;
    yield { where: `${lane.topic}/${lane.partition}`, what };
  }
  for (const { id, streams } of ids.twice())
    yield { where: streams.join(' and '), what: `both have an event with the id ${id}` };
}

// Logs as many writers who know little of each other would leave them: events that come again, that come late, that come from
// writers who were fenced, that follow what is not there, what is no event at all, and offsets that hold nothing.
import fc from 'fast-check';
import { streamOf } from '../../../../schemas/streams.ts';
import { sha256 } from '../../identity/ids.ts';
import { after, newStream, refusalOf, type StreamState } from '../admission.ts';
import type { Lanes } from '../lanes.ts';
import type { FoundRecord, OutgoingRecord } from '../transport/transport.ts';
import { type Outgoing, recordOf } from '../wire.ts';
import { HeadersInMemory, type TopicsInMemory } from './log-in-memory.ts';

const evidence = [0, 1, 2].map((shard) => streamOf.evidence('a', 1, shard, 0));
const notes = ['a', 'b'].map(streamOf.notes);
export const loggedStreams: readonly string[] = [...evidence, ...notes];

/** One append, as a writer may think of it. */
interface Thought {
  readonly stream: number;
  /** From which revision on: so many before or behind the end as the log has it. */
  readonly from: number;
  readonly count: number;
  readonly epoch: number;
  readonly session: number;
  /** Of the taking over, before or behind the first. */
  readonly first: number;
  /** Knows the digest of the event before it. */
  readonly isChained: boolean;
  readonly ids: readonly number[];
  readonly seconds: number;
  readonly what: 'events' | 'foreign' | 'gap' | 'astray';
}

const thought: fc.Arbitrary<Thought> = fc.record({
  stream: fc.nat({ max: loggedStreams.length - 1 }),
  from: often(0, fc.integer({ min: -2, max: 1 })),
  count: fc.integer({ min: 1, max: 4 }),
  epoch: fc.integer({ min: 1, max: 3 }),
  session: fc.nat({ max: 1 }),
  first: often(0, fc.integer({ min: -1, max: 1 })),
  isChained: often(true, fc.constant(false)),
  ids: fc.array(fc.nat({ max: 40 }), { minLength: 4, maxLength: 4 }),
  seconds: fc.integer({ min: -3, max: 12 }),
  what: often('events' as const, fc.constantFrom('foreign' as const, 'gap' as const, 'astray' as const)),
});

function often<Value>(usual: Value, rare: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: rare });
}

/** What lies in the log one behind the other: a record, or an offset that holds none. */
export interface Logged {
  readonly stream: string;
  readonly record: OutgoingRecord | null;
}

export const randomLog: fc.Arbitrary<readonly Logged[]> = fc
  .array(thought, { maxLength: 30, size: 'max' })
  .map((thoughts) => new Writers().write(thoughts));

const batchRecords = 3;
/** Far enough that the beginning of a span is forgotten by its end. */
const gapOffsets = 70;
const begun = Date.UTC(2026, 0, 1);

/** They know about how far their streams go; from there on they think what they like. */
class Writers {
  readonly #ends = new Map<string, StreamState>();
  #now = begun;

  write(thoughts: readonly Thought[]): readonly Logged[] {
    return thoughts.flatMap((one) => {
      this.#now += one.seconds;
      return this.#logged(one);
    });
  }

  #logged(one: Thought): readonly Logged[] {
    const stream = loggedStreams[one.stream] as string;
    if (one.what === 'gap') return Array.from({ length: gapOffsets * one.count }, () => ({ stream, record: null }));
    const records = this.#events(stream, one).map(recordOf);
    // Whoever sends to another partition than is the stream's.
    if (one.what === 'astray') return records.map((record) => ({ stream: loggedStreams[0] as string, record }));
    const { headers } = { headers: {} };
    return records.map((record) => ({ stream, record: one.what === 'foreign' ? { ...record, headers } : record }));
  }

  #events(stream: string, { from, count, epoch, session, first, isChained, ids, what }: Thought): readonly Outgoing[] {
    const end = this.#ends.get(stream) ?? newStream;
    const start = Math.max(0, end.next + from);
    const chained = stream.startsWith('notes-');
    let previous = chained && isChained ? end.last : null;
    const events = ids.slice(0, count).map((id, index): Outgoing => {
      const revision = start + index;
      const body = JSON.stringify({ stream, id, revision, at: this.#now, previous });
      const digest = sha256(body);
      const place = { stream, revision, body, digest, previous };
      if (chained) previous = digest;
      const writer = chained ? null : { epoch, session: `s${session}`, first: Math.max(0, start + first) };
      return { ...place, writer, recordedMs: this.#now + index, event: eventOf(id, chained) };
    });
    if (what === 'events') this.#ends.set(stream, events.reduce(behind, end));
    return events;
  }
}

function behind(state: StreamState, { event, ...place }: Outgoing): StreamState {
  const placed = { ...place, ...event };
  return refusalOf(placed, state) === null ? after(placed) : state;
}

function eventOf(id: number, isNote: boolean): Outgoing['event'] {
  const digits = String(id).padStart(12, '0');
  return {
    id: `00000000-0000-8000-8000-${digits}`,
    type: isNote ? 'RunAnnotated' : 'RolloutRecorded',
    at: '',
    actor: 'human/ada',
  };
}

/** Into topics, some records in one batch. */
export function writeLog(topics: TopicsInMemory, lanes: Lanes, log: readonly Logged[]): void {
  for (const lane of lanes.all) {
    const partition = topics.partition(lane.topic, lane.partition);
    const own = log.filter(({ stream }) => lanes.ofStream(stream) === lane);
    for (let at = 0; at < own.length; at += batchRecords) {
      const batch = own.slice(at, at + batchRecords).map(({ record }) => record);
      const records = batch.filter((record) => record !== null);
      // What is not there comes after what is: batches of a log hold either.
      if (records.length > 0) partition.add(records.map((record) => foundAt(0, record)));
      if (records.length < batch.length) partition.skip(batch.length - records.length);
    }
  }
}

/** As a transport would give it. */
export function foundAt(offset: number, { key, value, headers, timestamp }: OutgoingRecord): FoundRecord {
  const named = Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)] as const);
  return { offset, timestamp, key: Buffer.from(key), value: Buffer.from(value), headers: new HeadersInMemory(named) };
}

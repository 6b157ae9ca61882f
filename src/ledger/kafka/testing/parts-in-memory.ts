// The parts of a ledger put together over topics in memory, as the store puts them together over a broker's.
import { Waits } from '../../remote/patience.ts';
import { Asking } from '../asking.ts';
import { Cursors } from '../cursors.ts';
import { Feeds } from '../feeds.ts';
import type { Index } from '../index/index.ts';
import { indexInMemory } from '../index/testing/index-in-memory.ts';
import { Lanes } from '../lanes.ts';
import { Log } from '../log.ts';
import { Rejecting } from '../rejecting.ts';
import { Replicating } from '../replicating.ts';
import { Sending } from '../sending.ts';
import { Session } from '../session.ts';
import { StreamReading } from '../stream-reading.ts';
import { Survey } from '../survey.ts';
import { type Partitions, partitionsOf, rejectedTopic, topicsWanted } from '../topics.ts';
import { Writing } from '../writing.ts';
import { LogInMemory, TopicsInMemory } from './log-in-memory.ts';

const prefix = 'lab';
const url = 'kafka://memory/lab';
const maxEventBytes = 1_000_000;

/** Topics of a ledger in memory, with two partitions for evidence unless more are wanted. */
export function ledgerTopics(partitions: Partitions = partitionsOf(2)): TopicsInMemory {
  const topics = new TopicsInMemory();
  for (const topic of topicsWanted(prefix, partitions, -1)) topics.make(topic);
  return topics;
}

/** One opened ledger: with an index of its own unless it shares another's. */
export class PartsInMemory {
  readonly lanes: Lanes;
  readonly transport: LogInMemory;
  readonly index: Index;
  readonly rejecting: Rejecting | null;
  readonly log: Log;
  readonly cursors: Cursors;
  readonly feeds: Feeds;
  readonly reading: StreamReading;
  readonly survey: Survey;
  readonly writing: Writing;
  readonly replicating: Replicating;

  constructor(
    topics: TopicsInMemory,
    {
      partitions = partitionsOf(2),
      index,
      answerBytes = Number.POSITIVE_INFINITY,
      patienceMs = 30_000,
      readOnly = false,
    }: Settings = {},
  ) {
    this.lanes = new Lanes(prefix, partitions);
    this.transport = new LogInMemory(topics, { answerBytes });
    this.index = index ?? indexInMemory(this.lanes);
    const asking = new Asking(this.transport, { ms: patienceMs, waits: new Waits(() => {}) });
    const { transport, lanes, index: own } = this;
    const parts = { transport, asking, lanes, index: own, indexPath: ':memory:' };
    this.rejecting = readOnly ? null : new Rejecting({ ...parts, topic: rejectedTopic(prefix) });
    this.log = new Log({ ...parts, rejecting: this.rejecting });
    this.cursors = new Cursors('ledger', url, this.lanes, this.index);
    this.feeds = new Feeds(this.log, this.cursors);
    this.reading = new StreamReading(this.log, this.cursors);
    this.survey = new Survey(this.log, this.cursors, this.feeds, this.reading);
    const [sending, session] = [new Sending(this.transport), new Session()];
    this.writing = new Writing(this.log, this.reading, sending, session, maxEventBytes);
    this.replicating = new Replicating(this.log, this.reading, sending, session);
  }
}

interface Settings {
  readonly partitions?: Partitions;
  readonly index?: Index;
  /** Of one fetch, at most, whatever is asked for. */
  readonly answerBytes?: number;
  readonly patienceMs?: number;
  readonly readOnly?: boolean;
}

/** Nobody stops. */
export const onAndOn = new AbortController().signal;

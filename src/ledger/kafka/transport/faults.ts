// What brokers answer instead of an answer, and what it means.

import { Stumble } from '../../remote/stumble.ts';
import { KafkaRefused, KafkaRejected } from './errors.ts';
import { TopicUnheardOf } from './unheard-of.ts';

/** The codes of answers that are told apart here, in the brokers' own numbers. */
export const codes = {
  unknownServerError: -1,
  none: 0,
  offsetOutOfRange: 1,
  unknownTopicOrPartition: 3,
  notLeader: 6,
  requestTimedOut: 7,
  brokerNotAvailable: 8,
  messageTooLarge: 10,
  networkException: 13,
  recordListTooLarge: 18,
  notEnoughReplicasAfterAppend: 20,
  illegalGeneration: 22,
  unknownMember: 25,
  rebalanceInProgress: 27,
  invalidTimestamp: 32,
  topicAlreadyExists: 36,
  invalidConfig: 40,
  outOfOrderSequence: 45,
  duplicateSequence: 46,
  invalidProducerEpoch: 47,
  invalidProducerId: 49,
  storageError: 56,
  unknownProducerId: 59,
  memberIdRequired: 79,
} as const;

/** Topics, groups, the cluster, transactions and tokens that are not this user's; logins that are none. */
const forbidden = new Set([29, 30, 31, 33, 34, 53, 54, 58, 65]);
/** Perhaps written by the leader, and perhaps nowhere else yet. */
const maybeDone = new Set<number>([
  codes.unknownServerError,
  codes.notLeader,
  codes.requestTimedOut,
  codes.networkException,
  codes.notEnoughReplicasAfterAppend,
  codes.storageError,
]);
/** Which the client libraries take for final. */
const passingAllTheSame = new Set<number>([...maybeDone, codes.brokerNotAvailable, codes.topicAlreadyExists]);

/** What a broker answered instead of an answer; `message` says it. */
export class BrokerFault extends Error {
  override readonly name = 'BrokerFault';
  readonly code: number;
  readonly passes: boolean;

  /** `passes`: whether the client library takes it for what may go well another time. */
  constructor(code: number, said: string, passes: boolean, cause?: unknown) {
    super(said, { cause });
    this.code = code;
    this.passes = passes || passingAllTheSame.has(code);
  }
}

export function isForbidden(code: number): boolean {
  return forbidden.has(code);
}

/** Throws, instead of a broker's fault, what it means; `what` says what was asked for, and of which topic. */
export async function answerTo<Answer>(what: string, answer: Promise<Answer>, topic?: string): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw meaningOf(error, what, topic);
  }
}

export function meaningOf(error: unknown, what: string, topic?: string): unknown {
  if (!(error instanceof BrokerFault)) return error;
  const { code, passes, message } = error;
  if (code === codes.unknownTopicOrPartition && topic !== undefined) return new TopicUnheardOf(topic);
  const said = `${what}: ${message}`;
  if (isForbidden(code)) return new KafkaRefused(said, error);
  return passes ? new Stumble(said, { maybeDone: maybeDone.has(code), cause: error }) : new KafkaRejected(said, error);
}

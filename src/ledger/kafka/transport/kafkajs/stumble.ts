// What went wrong on the way to a broker, and whether it may go well another time.
import { KafkaRefused, KafkaRejected } from '../errors.ts';
import { createErrorFromCode } from './parts.ts';

/** What may go well another time; `message` says what happened. */
export class Stumble extends Error {
  override readonly name: string = 'Stumble';
  /** Whether the broker may have done what it was asked all the same. */
  readonly maybeDone: boolean;

  constructor(what: string, options: { readonly maybeDone: boolean; readonly cause?: unknown }) {
    super(what, { cause: options.cause });
    this.maybeDone = options.maybeDone;
  }
}

/** A broker does not know the topic: it is not there, or has not yet come to its ears. */
export class TopicUnheardOf extends Stumble {
  override readonly name = 'TopicUnheardOf';
  readonly topic: string;

  constructor(topic: string) {
    super(`no broker knows the topic ${topic}`, { maybeDone: false });
    this.topic = topic;
  }
}

/** The codes of answers that are told apart here. */
export const codes = {
  none: 0,
  offsetOutOfRange: 1,
  unknownTopicOrPartition: 3,
  requestTimedOut: 7,
  messageTooLarge: 10,
  networkException: 13,
  recordListTooLarge: 18,
  notEnoughReplicasAfterAppend: 20,
  topicAlreadyExists: 36,
  outOfOrderSequence: 45,
  duplicateSequence: 46,
  invalidProducerEpoch: 47,
  invalidProducerId: 49,
  storageError: 56,
  unknownProducerId: 59,
} as const;

const forbidden = new Set([29, 30, 31, 33, 34, 53, 58, 65]);
const refusals = new Set(['KafkaJSSASLAuthenticationError', 'KafkaJSServerDoesNotSupportApiKey']);
/** Written by the leader, and perhaps nowhere else yet. */
const maybeDone = new Set<number>([
  codes.requestTimedOut,
  codes.networkException,
  codes.notEnoughReplicasAfterAppend,
  codes.storageError,
]);

/** What a code in an answer means; `what` says what was asked for. */
export function faultOf(code: number, topic: string, what: string): Error {
  if (code === codes.unknownTopicOrPartition) return new TopicUnheardOf(topic);
  const { message, retriable } = createErrorFromCode(code);
  const said = `${what}: ${message}`;
  if (forbidden.has(code)) return new KafkaRefused(said);
  return retriable ? new Stumble(said, { maybeDone: maybeDone.has(code) }) : new KafkaRejected(said);
}

/** What kafkajs throws, in words of ours. `sent` says whether the request may have left. */
export function stumbleOf(error: unknown, sent: boolean): unknown {
  if (!(error instanceof Error) || !error.name.startsWith('KafkaJS')) return error;
  if (refusals.has(error.name)) return new KafkaRefused(error.message, error);
  return new Stumble(error.message, { maybeDone: sent, cause: error });
}

// What kafkajs and the numbers in answers say went wrong, in words of ours.
import { BrokerUntrusted, KafkaRefused, KafkaRejected } from '../errors.ts';
import { Stumble, TopicUnheardOf } from '../stumble.ts';
import { isUntrusted } from '../untrusted.ts';
import { createErrorFromCode } from './parts.ts';

/** The codes of answers that are told apart here. */
export const codes = {
  unknownServerError: -1,
  none: 0,
  offsetOutOfRange: 1,
  unknownTopicOrPartition: 3,
  notLeader: 6,
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
/** Perhaps written by the leader, and perhaps nowhere else yet. */
const maybeDone = new Set<number>([
  codes.unknownServerError,
  codes.notLeader,
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
  return retriable || maybeDone.has(code)
    ? new Stumble(said, { maybeDone: maybeDone.has(code) })
    : new KafkaRejected(said);
}

/** What kafkajs throws, in words of ours. `sent` says whether the request may have left. */
export function stumbleOf(error: unknown, sent: boolean): unknown {
  if (!(error instanceof Error) || !error.name.startsWith('KafkaJS')) return error;
  const refused = refusals.has(error.name) || ('code' in error && forbidden.has(Number(error.code)));
  if (refused) return new KafkaRefused(error.message, error);
  if (isUntrusted(error)) return new BrokerUntrusted(error.message, error);
  return new Stumble(error.message, { maybeDone: sent, cause: error });
}

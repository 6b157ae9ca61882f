// What the library throws, in words of ours.
import { AuthenticationError, NetworkError, ResponseError, TimeoutError } from '@platformatic/kafka';
import { IcecoreError } from '../../../../../schemas/errors.ts';
import { BrokerUntrusted, KafkaRefused, KafkaRejected } from '../errors.ts';
import { Stumble, TopicUnheardOf } from '../stumble.ts';
import { isUntrusted } from '../untrusted.ts';

/** What a broker answered instead of an answer. */
export interface Fault {
  /** Kafka's own name for it: `NOT_LEADER_OR_FOLLOWER`. */
  readonly name: string;
  readonly said: string;
  readonly passes: boolean;
}

/** Which the library takes for final. */
const passingAllTheSame = new Set(['UNKNOWN_SERVER_ERROR', 'BROKER_NOT_AVAILABLE', 'TOPIC_ALREADY_EXISTS']);
/** Written by the leader, and perhaps nowhere else yet. */
const maybeDone = new Set([
  'UNKNOWN_SERVER_ERROR',
  'NOT_LEADER_OR_FOLLOWER',
  'REQUEST_TIMED_OUT',
  'NETWORK_EXCEPTION',
  'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
  'KAFKA_STORAGE_ERROR',
]);
const forbidden = /AUTHORIZATION_FAILED$|^SECURITY_DISABLED$|SASL/;

/** Null where the error is none that a broker answered; of several, the first. */
export function faultIn(error: unknown): Fault | null {
  if (!(error instanceof ResponseError)) return null;
  // What is wrong with single records comes first, and has no name of its own.
  const named = error.errors.find(({ path }) => !path.includes('/record_errors/'));
  const { apiId, message, canRetry } = named ?? error.errors[0];
  const said = error.errors[0].serverErrorMessage ?? named?.serverErrorMessage ?? message;
  return { name: apiId, said, passes: canRetry || passingAllTheSame.has(apiId) };
}

/** Throws, instead of what the library throws, what it means; `what` says what was asked for, and of which topic. */
export async function answerTo<Answer>(what: string, answer: Promise<Answer>, topic?: string): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw meaningOf(error, what, topic);
  }
}

export function meaningOf(error: unknown, what: string, topic?: string): unknown {
  const fault = faultIn(error);
  if (fault === null) return error;
  if (fault.name === 'UNKNOWN_TOPIC_OR_PARTITION' && topic !== undefined) return new TopicUnheardOf(topic);
  const said = `${what}: ${fault.name}: ${fault.said}`;
  if (forbidden.test(fault.name)) return new KafkaRefused(said, error);
  if (fault.passes) return new Stumble(said, { maybeDone: maybeDone.has(fault.name), cause: error });
  return new KafkaRejected(said, error);
}

/** What the library throws where no answer came. `sent` says whether the request may have left. */
export function stumbleOf(error: unknown, sent: boolean): Error {
  if (error instanceof IcecoreError || error instanceof Stumble) return error;
  const reasons = [...causes(error)];
  const first = reasons.at(-1);
  const answered = reasons.map(faultIn).find((fault) => fault !== null)?.said;
  const said = answered ?? (first instanceof Error && first.message !== '' ? first.message : String(first));
  const untrusted = reasons.find(isUntrusted);
  if (untrusted instanceof Error) return new BrokerUntrusted(untrusted.message, error);
  const unknown = reasons.some((reason) => reason instanceof AuthenticationError);
  const broken = reasons.slice(1).some((reason) => reason instanceof NetworkError || reason instanceof TimeoutError);
  return unknown && !broken ? new KafkaRefused(said, error) : new Stumble(said, { maybeDone: sent, cause: error });
}

/** From the outermost to what it began with; of several at once, the first. */
function* causes(error: unknown): Generator<unknown> {
  yield error;
  if (error instanceof AggregateError) yield* causes(error.errors[0]);
  else if (error instanceof Error && error.cause !== undefined) yield* causes(error.cause);
}

// What can go wrong between icecore and Kafka, and what kafkajs's errors mean.
import { IcecoreError } from '../../../schemas/errors.ts';
import { EvidenceMissing } from '../errors.ts';
import { ServerRefused, ServerRejected, ServerUntrusted, TransientError } from '../remote/errors.ts';

/** The largest time difference that Kafka can be told to accept: `message.timestamp.*.max.ms`, in milliseconds. */
export const anyTime = String(2n ** 63n - 1n);

/** Events that were there once are not there any more. */
export function evidenceMissingIn(
  topic: string,
  what: string,
  facts: Readonly<Record<string, unknown>>,
): EvidenceMissing {
  const advice =
    ' Check that retention.ms and retention.bytes of the topic are -1 and that unclean.leader.election.enable is false.';
  return new EvidenceMissing(`${topic}: ${what}`, { topic, ...facts }, advice);
}

/** The broker takes no batch of that size. */
export class BatchTooLarge extends IcecoreError {
  override readonly name = 'BatchTooLarge';

  constructor(topic: string, cause: unknown) {
    super('storage', `${topic} refuses a batch because of its size`, {
      facts: { topic },
      cause,
      remedy: 'Raise max.message.bytes on the topic: `icecore doctor` says to what.',
    });
  }
}

/** The time of a record is too far from the broker's own. */
export class TimeRefused extends IcecoreError {
  override readonly name = 'TimeRefused';

  constructor(topic: string, cause: unknown) {
    const [after, before] = ['message.timestamp.after.max.ms', 'message.timestamp.before.max.ms'];
    super('storage', `${topic} refuses the time of an event: ${after} or ${before} allows none so far from now`, {
      facts: { topic },
      cause,
      remedy: `kafka-configs.sh --bootstrap-server HOST:PORT --alter --topic ${topic} --add-config ${after}=${anyTime},${before}=${anyTime}`,
    });
  }
}

const checkLogin = 'Check ICECORE_KAFKA_USER and ICECORE_KAFKA_PASSWORD, and what that user may do with the topics.';
const checkSettings = 'Check the settings of the brokers and of the topic: `icecore doctor` says what icecore needs.';

/** What is stored is in a form that Node cannot decompress, or is damaged. */
class BatchUnreadable extends IcecoreError {
  override readonly name = 'BatchUnreadable';

  constructor(what: string, cause: unknown) {
    super('unsupported', `a batch in Kafka cannot be read: ${what}`, {
      facts: { what },
      cause,
      remedy:
        'Set compression.type=producer on the topic. icecore reads zstd, gzip and uncompressed batches; copy others to a new topic with one of these.',
    });
  }
}

/** In the words of OpenSSL and Node. */
const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_NOT_YET_VALID',
  'CERT_HAS_EXPIRED',
  'CERT_SIGNATURE_FAILURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

const refusal = /AUTHORIZATION_FAILED$|^SASL_AUTHENTICATION_FAILED$|SASL_MECHANISM$|SASL_STATE$/;

/** What kafkajs takes for final, and passes: a controller that is elected, a broker that is started. */
const passing = new Set([
  'UNKNOWN',
  'BROKER_NOT_AVAILABLE',
  'NOT_CONTROLLER',
  'KAFKA_STORAGE_ERROR',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
  'REBALANCE_IN_PROGRESS',
  'UNKNOWN_MEMBER_ID',
  'ILLEGAL_GENERATION',
  'LEADER_NOT_AVAILABLE',
  'UNKNOWN_TOPIC_OR_PARTITION',
]);

const lostConnections =
  /^KafkaJS(?:Connection|ConnectionClosed|RequestTimeout|BrokerNotFound|NoBrokerAvailable|GroupCoordinatorNotFound|Timeout|LockTimeout|MetadataNotLoaded|TopicMetadataNotLoaded)(?:Error)?$/;

/** What an error of kafkajs means, in an error of ours; what is none of kafkajs's stays as it is. */
export function meaningOf(error: unknown, topic: string): unknown {
  const chain = causesOf(error);
  const first = chain.at(0);
  if (first === undefined || first instanceof IcecoreError || first instanceof TransientError) return error;
  if (!chain.some(({ name }) => name.startsWith('KafkaJS'))) return unreadable(first) ?? error;
  const codes = chain.map((one) => ('code' in one ? String(one.code) : ''));
  const types = chain.map((one) => ('type' in one ? String(one.type) : ''));
  const text = first.message;
  if (codes.some((code) => untrusted.has(code))) return new ServerUntrusted('Kafka', text, error);
  const isRefused = chain.some(({ name }) => name === 'KafkaJSSASLAuthenticationError');
  if (isRefused || types.some((type) => refusal.test(type))) return new ServerRefused('Kafka', text, checkLogin, error);
  if (types.some((type) => type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE')) {
    return new BatchTooLarge(topic, error);
  }
  if (types.includes('INVALID_TIMESTAMP')) return new TimeRefused(topic, error);
  if (chain.some(({ name }) => name === 'KafkaJSNotImplemented')) return new BatchUnreadable(text, error);
  const passes = chain.some(
    (one) =>
      lostConnections.test(one.name) ||
      ('retriable' in one && one.retriable === true) ||
      ('type' in one && passing.has(String(one.type))),
  );
  return passes ? new TransientError(text, { cause: error }) : new ServerRejected('Kafka', text, checkSettings, error);
}

/** Of Node's decompression, or of a batch that says it holds more records than it does. */
function unreadable(error: Error): BatchUnreadable | null {
  const code = 'code' in error ? String(error.code) : '';
  const isDecoding = /^(?:Z_|ZSTD_|ERR_BUFFER_|ERR_OUT_OF_RANGE)/.test(code) || error instanceof RangeError;
  return isDecoding ? new BatchUnreadable(error.message, error) : null;
}

function causesOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let next = error; next instanceof Error && !chain.includes(next); next = next.cause) chain.push(next);
  return chain;
}

// The errors of Kafka stores, and the meaning of kafkajs's errors.
import { IcecoreError } from '../../../schemas/errors.ts';
import { EvidenceMissing } from '../errors.ts';
import { ServerRejected, serverRefused, serverUntrusted, TransientError } from '../remote/errors.ts';

/** The largest time difference that Kafka can be configured to accept: `message.timestamp.*.max.ms`, in milliseconds. */
export const anyTime = String(2n ** 63n - 1n);

/** Events that existed before are missing. */
export function evidenceMissingIn(
  topic: string,
  what: string,
  facts: Readonly<Record<string, unknown>>,
): EvidenceMissing {
  const advice =
    ' Check that retention.ms and retention.bytes of the topic are -1 and that unclean.leader.election.enable is false.';
  return new EvidenceMissing(`${topic}: ${what}`, { topic, ...facts }, advice);
}

/** Throws EvidenceMissing if the topic no longer has a record at this offset, or has lost its end. */
export function requireInside(
  topic: string,
  partition: number,
  offset: number,
  { low, high } = { low: 0, high: 0 },
): void {
  if (low <= offset && offset <= high) return;
  const has = offset < low ? `begins at offset ${low}` : `ends at offset ${high}`;
  const what = `partition ${partition} ${has}: offset ${offset} is gone`;
  throw evidenceMissingIn(topic, what, { partition, offset, low, high });
}

/** The broker refuses a batch of that size. */
function batchTooLarge(topic: string, cause: unknown): IcecoreError {
  return new IcecoreError('storage', `${topic} refuses a batch because of its size`, {
    name: 'BatchTooLarge',
    facts: { topic },
    cause,
    remedy: 'Raise max.message.bytes on the topic: `icecore doctor` names the value.',
  });
}

/** The time of a record is too far from the broker's clock. */
function timeRefused(topic: string, cause: unknown): IcecoreError {
  const [after, before] = ['message.timestamp.after.max.ms', 'message.timestamp.before.max.ms'];
  const what = `${topic} refuses the time of an event: it is further from now than ${after} or ${before} allows`;
  return new IcecoreError('storage', what, {
    name: 'TimeRefused',
    facts: { topic },
    cause,
    remedy: `kafka-configs.sh --bootstrap-server HOST:PORT --alter --topic ${topic} --add-config ${after}=${anyTime},${before}=${anyTime}`,
  });
}

/** Whether the records are certainly not stored, and another attempt would fail too. */
export function isFinal(meaning: unknown): boolean {
  return meaning instanceof IcecoreError && ['BatchTooLarge', 'TimeRefused', 'ServerRefused'].includes(meaning.name);
}

const checkLogin =
  'Check ICECORE_KAFKA_USER and ICECORE_KAFKA_PASSWORD, and the permissions of that user on the topics.';
const checkSettings = 'Check the settings of the brokers and of the topic: `icecore doctor` lists what icecore needs.';

/** A stored batch has a format that Node cannot decompress, or is damaged. */
function batchUnreadable(what: string, cause: unknown): IcecoreError {
  return new IcecoreError('unsupported', `a batch in Kafka cannot be read: ${what}`, {
    name: 'BatchUnreadable',
    facts: { what },
    cause,
    remedy:
      'Set compression.type=producer on the topic. icecore reads zstd, gzip and uncompressed batches; copy others to a new topic with one of these.',
  });
}

/** Messages of OpenSSL and Node. */
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

/** Errors that kafkajs treats as final but that pass, such as an election of a controller or the start of a broker. */
const passing = new Set([
  'UNKNOWN',
  'BROKER_NOT_AVAILABLE',
  'NOT_CONTROLLER',
  'KAFKA_STORAGE_ERROR',
  'LEADER_NOT_AVAILABLE',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'OFFSET_OUT_OF_RANGE',
]);

const lostConnections =
  /^KafkaJS(?:Connection|ConnectionClosed|RequestTimeout|BrokerNotFound|NoBrokerAvailable|Timeout|LockTimeout|MetadataNotLoaded|TopicMetadataNotLoaded)(?:Error)?$/;

/**
 * A plain error of kafkajs. It takes a connection for ready once its socket is open, also if the broker never answered the first
 * request on it, which fixes the versions of all others.
 */
const unansweredConnection = 'Broker not connected';

/** kafkajs asks the known brokers one after the other, and takes null for the answer if none gave one. */
function isNoAnswer(error: Error): boolean {
  return (
    error instanceof TypeError &&
    /'(?:topicMetadata|brokers)'.* null\b|null \(reading '(?:topicMetadata|brokers)'/.test(error.message)
  );
}

/** Translates an error of kafkajs; other errors are returned unchanged. */
export function meaningOf(error: unknown, topic: string): unknown {
  const chain = causesOf(error);
  const first = chain.at(0);
  if (first === undefined || first instanceof IcecoreError || first instanceof TransientError) return error;
  const names = chain.map(({ name }) => name);
  const codes = chain.map((one) => ('code' in one ? String(one.code) : ''));
  const types = chain.map((one) => ('type' in one ? String(one.type) : ''));
  const text = first.message;
  if (chain.some((one) => one.message === unansweredConnection || isNoAnswer(one))) {
    return new TransientError('the brokers do not answer', { cause: error });
  }
  if (!names.some((name) => name.startsWith('KafkaJS'))) {
    // An error of Node's decompression, or a batch with fewer records than stated.
    const isDecoding = /^(?:Z_|ZSTD_|ERR_BUFFER_|ERR_OUT_OF_RANGE)/.test(codes[0] ?? '') || first instanceof RangeError;
    return isDecoding ? batchUnreadable(text, first) : error;
  }
  if (codes.some((code) => untrusted.has(code))) return serverUntrusted('Kafka', text, error);
  const isRefused = names.includes('KafkaJSSASLAuthenticationError') || types.some((type) => refusal.test(type));
  if (isRefused) return serverRefused('Kafka', text, checkLogin, error);
  if (types.includes('MESSAGE_TOO_LARGE') || types.includes('RECORD_LIST_TOO_LARGE'))
    return batchTooLarge(topic, error);
  if (types.includes('INVALID_TIMESTAMP')) return timeRefused(topic, error);
  if (names.includes('KafkaJSNotImplemented')) return batchUnreadable(text, error);
  const passes =
    names.some((name) => lostConnections.test(name)) ||
    types.some((type) => passing.has(type)) ||
    chain.some((one) => 'retriable' in one && one.retriable === true);
  return passes ? new TransientError(text, { cause: error }) : new ServerRejected('Kafka', text, checkSettings, error);
}

function causesOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let next = error; next instanceof Error && !chain.includes(next); next = next.cause) chain.push(next);
  return chain;
}

// What kafkajs says went wrong, in words of ours.

import { Stumble } from '../../../remote/stumble.ts';
import { BrokerUntrusted, KafkaRefused } from '../errors.ts';
import { BrokerFault, codes, isForbidden } from '../faults.ts';
import { isUntrusted } from '../untrusted.ts';
import { createErrorFromCode } from './parts.ts';

const refusals = new Set(['KafkaJSSASLAuthenticationError', 'KafkaJSServerDoesNotSupportApiKey']);

/** `said` is what the broker itself says of it. */
export function brokerFault(code: number, said?: string | null): BrokerFault {
  const { type, message, retriable } = createErrorFromCode(code);
  return new BrokerFault(code, `${type}: ${said ?? message}`, retriable);
}

export function requireNone(code: number, said?: string | null): void {
  if (code !== codes.none) throw brokerFault(code, said);
}

export function inWords(error: unknown, sent: boolean): unknown {
  if (!(error instanceof Error) || !error.name.startsWith('KafkaJS')) return error;
  const refused = refusals.has(error.name) || ('code' in error && isForbidden(Number(error.code)));
  if (refused) return new KafkaRefused(error.message, error);
  if (isUntrusted(error)) return new BrokerUntrusted(error.message, error);
  return new Stumble(error.message, { maybeDone: sent, cause: error });
}

// The transport on kafkajs.
import { KafkajsTransport } from './kafkajs/transport.ts';
import type { Transport, TransportOptions } from './transport.ts';

/** Connects with the first call. */
export function openKafkajs(options: TransportOptions): Transport {
  return new KafkajsTransport(options);
}

// The transport on kafkajs.
import { KafkajsClient } from './kafkajs/client.ts';
import { TransportOverClient } from './over-client.ts';
import type { Transport, TransportOptions } from './transport.ts';

/** Connects with the first call. */
export function openKafkajs(options: TransportOptions): Transport {
  return new TransportOverClient(new KafkajsClient(options), options);
}

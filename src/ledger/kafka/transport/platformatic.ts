// The transport on @platformatic/kafka.
import { TransportOverClient } from './over-client.ts';
import { PlatformaticClient } from './platformatic/client.ts';
import type { Transport, TransportOptions } from './transport.ts';

/** Connects with the first call. */
export function openPlatformatic(options: TransportOptions): Transport {
  return new TransportOverClient(new PlatformaticClient(options), options);
}

// The transport on @platformatic/kafka.
import { PlatformaticTransport } from './platformatic/transport.ts';
import type { Transport, TransportOptions } from './transport.ts';

/** Connects with the first call. */
export function openPlatformatic(options: TransportOptions): Transport {
  return new PlatformaticTransport(options);
}

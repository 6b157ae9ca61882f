// From a place in Kafka to a transport: with the client that the URL names, as whom the environment says.

import type { Environment } from '../driver.ts';
import { readCertificates } from '../folders.ts';
import type { OnWait } from '../ledger.ts';
import type { OnAway } from '../remote/patience.ts';
import { kafkaLogin } from './login.ts';
import type { KafkaPlace } from './place.ts';
import type { Transport, TransportOptions } from './transport/transport.ts';

export async function connect(place: KafkaPlace, onWait?: OnWait): Promise<Transport> {
  const options = optionsOf(place, process.env, onWait);
  if (place.client === 'platformatic') {
    const { openPlatformatic } = await import('./transport/platformatic.ts');
    return openPlatformatic(options);
  }
  const { openKafkajs } = await import('./transport/kafkajs.ts');
  return openKafkajs(options);
}

function optionsOf(place: KafkaPlace, env: Environment, onWait: OnWait | undefined): TransportOptions {
  const { brokers, compression, tls, ca, login, patience } = place;
  return {
    brokers,
    compression,
    tls: tls ? { ca: ca === null ? null : readCertificates(ca).toString('utf8') } : null,
    login: login === null ? null : { mechanism: login, ...kafkaLogin(env) },
    patienceMs: patience * 1_000,
    onAway: telling(place, onWait),
  };
}

/** Tells what is waited for, and how long at most. */
export function telling({ patience }: KafkaPlace, onWait: OnWait | undefined): OnAway {
  return (what) => onWait?.({ store: 'ledger', away: what === null ? null : { what, seconds: patience } });
}

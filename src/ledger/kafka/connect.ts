// From a place in Kafka to a transport: with the client that the URL names, as whom the environment says.
import { readFileSync } from 'node:fs';
import { IcecoreError } from '../../../schemas/errors.ts';
import { StorageFailed } from '../errors.ts';
import type { OnWait } from '../ledger.ts';
import type { OnAway } from '../remote/patience.ts';
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

function optionsOf(place: KafkaPlace, env: NodeJS.ProcessEnv, onWait: OnWait | undefined): TransportOptions {
  const { brokers, compression, tls, ca, login, patience } = place;
  return {
    brokers,
    compression,
    tls: tls ? { ca: ca === null ? null : certificates(ca) } : null,
    login: login === null ? null : { mechanism: login, ...credentials(env) },
    patienceMs: patience * 1_000,
    onAway: telling(place, onWait),
  };
}

/** Tells what is waited for, and how long at most. */
export function telling({ patience }: KafkaPlace, onWait: OnWait | undefined): OnAway {
  return (what) => onWait?.({ store: 'ledger', away: what === null ? null : { what, seconds: patience } });
}

function certificates(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StorageFailed(
      path,
      `the certificates cannot be read (${why})`,
      'See ?ca= in the URL of the ledger.',
      error,
    );
  }
}

function credentials(env: NodeJS.ProcessEnv): { readonly user: string; readonly password: string } {
  const [user, password] = [env['ICECORE_KAFKA_USER'], env['ICECORE_KAFKA_PASSWORD']];
  if (user && password) return { user, password };
  throw new IcecoreError('usage', 'the URL says that Kafka asks who one is, and the environment does not say it', {
    remedy: 'Set ICECORE_KAFKA_USER and ICECORE_KAFKA_PASSWORD.',
  });
}

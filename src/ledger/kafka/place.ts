// The location of evidence in Kafka: `kafka://host:port,host:port/prefix?setting=value`. All topics of a ledger begin with its
// prefix. The user is set in the environment and never in a URL, because URLs end up in logs and settings.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Environment, Login, ServerUrl } from '../driver.ts';
import {
  badServerUrl,
  oneOf,
  type ReadSetting,
  settingsIn,
  type UrlForm,
  upTo,
  withoutUnknown,
} from '../remote/server-url.ts';

export const compressions = ['zstd', 'gzip', 'none'] as const;

export type Compression = (typeof compressions)[number];

export const loginMechanisms = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

export type LoginMechanism = (typeof loginMechanisms)[number];

export interface KafkaPlace {
  /** Each `host:port`, in the order of the URL. */
  readonly brokers: readonly string[];
  readonly prefix: string;
  readonly compression: Compression;
  /** For a new ledger. */
  readonly partitions: number;
  /** For a new ledger; -1: the default of the brokers. */
  readonly replicas: number;
  readonly tls: boolean;
  /** A file with the certificates to trust; null: those the system trusts. */
  readonly ca: string | null;
  readonly login: LoginMechanism | null;
  /** How long to wait for brokers that do not answer, in seconds. */
  readonly patience: number;
}

export type KafkaUrl = ServerUrl<'kafka', KafkaPlace>;

type Settings = Omit<KafkaPlace, 'brokers' | 'prefix'>;

const secretRemedy = 'Set ICECORE_KAFKA_USER and ICECORE_KAFKA_PASSWORD, and add ?login=scram-sha-512 to the URL.';

const form: UrlForm<Settings> = {
  server: 'Kafka',
  example: 'Write kafka://HOST:PORT/PREFIX, for example kafka://localhost:9092/lab.',
  secretRemedy,
  // The patience allows for a restart of a broker.
  defaults: { compression: 'zstd', partitions: 6, replicas: -1, tls: false, ca: null, login: null, patience: 30 },
  readers: new Map<string, ReadSetting<Settings>>([
    ['compression', oneOf(compressions, (compression) => ({ compression }))],
    ['partitions', upTo(10_000, (partitions) => ({ partitions }))],
    ['replicas', upTo(100, (replicas) => ({ replicas }))],
    ['tls', oneOf(['true', 'false'], (tls) => ({ tls: tls === 'true' }))],
    ['ca', (ca) => (ca === '' ? null : { ca })],
    ['patience', upTo(86_400, (patience) => ({ patience }))],
    ['login', oneOf(loginMechanisms, (login) => ({ login }))],
  ]),
};

/** Names of topics have at most 249 characters, and the longest suffix has 10. */
const prefixPattern = /^(?!\.)[A-Za-z0-9._-]{1,200}$/;
const brokerPattern = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?$/;
const usualPort = '9092';

/** Throws BadServerUrl. */
export function parseKafkaUrl(url: string): KafkaPlace {
  if (url.replace(/[?&]ca=[^&]*/, '').includes('@')) {
    throw badServerUrl(form, withoutUnknown(form, url.replace(/\/\/.*@/s, '//…@')), 'a user in the URL', secretRemedy);
  }
  const [, authority = '', prefix = '', query = ''] =
    /^kafka:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(url) ?? [];
  const refuse = (what: string): Error => badServerUrl(form, withoutUnknown(form, url), what);
  const brokers = authority.split(',').map((broker) => {
    const [isBroker, port = usualPort] = brokerPattern.exec(broker) ?? [];
    if (isBroker === undefined || Number(port) > 65_535)
      throw refuse(broker === '' ? 'no broker' : `the broker "${broker}"`);
    return broker.endsWith(`:${port}`) ? broker : `${broker}:${port}`;
  });
  if (!prefixPattern.test(prefix)) throw refuse(prefix === '' ? 'no prefix for the topics' : `the prefix "${prefix}"`);
  return { brokers, prefix, ...settingsIn(form, url, query) };
}

/** A unique name of the place, whatever else the URL contains. */
export function nameOf({ brokers, prefix }: KafkaPlace): string {
  return `kafka://${[...brokers].sort().join(',')}/${prefix}`;
}

export const loginVariables: readonly [user: string, password: string] = [
  'ICECORE_KAFKA_USER',
  'ICECORE_KAFKA_PASSWORD',
];

export function kafkaLogin(env: Environment): Login {
  const [user, password] = loginVariables.map((name) => env[name]);
  if (user && password) return { user, password };
  throw new IcecoreError('usage', 'the URL requires a login for Kafka, and the environment has none', {
    remedy: `Set ${loginVariables.join(' and ')}.`,
  });
}

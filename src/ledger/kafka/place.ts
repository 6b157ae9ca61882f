// Where the evidence of a ledger is kept in Kafka: `kafka://host:port,host:port/prefix?setting=value`. All topics of a ledger begin with its
// prefix. Who one is stands in the environment, never in a URL, which ends up in logs and settings.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Environment, Login } from '../driver.ts';
import {
  BadServerUrl,
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
  /** `host:port` each, in the order of the URL. */
  readonly brokers: readonly string[];
  readonly prefix: string;
  readonly compression: Compression;
  /** Of the evidence, for a ledger that is made. */
  readonly partitions: number;
  /** For a ledger that is made; -1: what the brokers are set to. */
  readonly replicas: number;
  readonly tls: boolean;
  /** A file with the certificates to trust; null: those the system trusts. */
  readonly ca: string | null;
  readonly login: LoginMechanism | null;
  /** How long brokers that do not answer are waited for, in seconds. */
  readonly patience: number;
}

type Settings = Omit<KafkaPlace, 'brokers' | 'prefix'>;

const secretRemedy = 'Set ICECORE_KAFKA_USER and ICECORE_KAFKA_PASSWORD, and add ?login=scram-sha-512 to the URL.';

const form: UrlForm<Settings> = {
  server: 'Kafka',
  example: 'Write kafka://HOST:PORT/PREFIX, for example kafka://localhost:9092/lab.',
  secretRemedy,
  // A broker that is restarted is back within the patience.
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

/** Topics may have 249 characters, and the longest that is put behind a prefix has 10. */
const prefixPattern = /^(?!\.)[A-Za-z0-9._-]{1,200}$/;
const brokerPattern = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?$/;
const usualPort = '9092';

/** Throws BadServerUrl. */
export function parseKafkaUrl(url: string): KafkaPlace {
  if (url.replace(/[?&]ca=[^&]*/, '').includes('@')) {
    throw new BadServerUrl(
      form,
      withoutUnknown(form, url.replace(/\/\/.*@/s, '//…@')),
      'a user in the URL',
      secretRemedy,
    );
  }
  const [, authority = '', prefix = '', query = ''] =
    /^kafka:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(url) ?? [];
  const refuse = (what: string): Error => new BadServerUrl(form, withoutUnknown(form, url), what);
  const brokers = authority.split(',').map((broker) => {
    const [isBroker, port = usualPort] = brokerPattern.exec(broker) ?? [];
    if (isBroker === undefined || Number(port) > 65_535)
      throw refuse(broker === '' ? 'no broker' : `the broker "${broker}"`);
    return broker.endsWith(`:${port}`) ? broker : `${broker}:${port}`;
  });
  if (!prefixPattern.test(prefix)) throw refuse(prefix === '' ? 'no prefix for the topics' : `the prefix "${prefix}"`);
  return { brokers, prefix, ...settingsIn(form, url, query) };
}

/** The same place by the same name, whatever else the URL says. */
export function nameOf({ brokers, prefix }: KafkaPlace): string {
  return `kafka://${[...brokers].sort().join(',')}/${prefix}`;
}

export const loginVariables: readonly [user: string, password: string] = [
  'ICECORE_KAFKA_USER',
  'ICECORE_KAFKA_PASSWORD',
];

/** Named by the environment, never by a URL, which ends up in logs and settings. */
export function kafkaLogin(env: Environment): Login {
  const [user, password] = loginVariables.map((name) => env[name]);
  if (user && password) return { user, password };
  throw new IcecoreError('usage', 'the URL says that Kafka asks who one is, and the environment does not say it', {
    remedy: `Set ${loginVariables.join(' and ')}.`,
  });
}

// Where the evidence of a ledger is kept in Kafka: `kafka://host:port,host:port/prefix?setting=value`. All topics of a ledger begin with its
// prefix. Who one is stands in the environment, never in a URL, which ends up in logs and settings.
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearest } from '../../../schemas/nearest.ts';

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

const defaults: Omit<KafkaPlace, 'brokers' | 'prefix'> = {
  compression: 'zstd',
  partitions: 6,
  replicas: -1,
  tls: false,
  ca: null,
  login: null,
  // A broker that is restarted is back within this.
  patience: 30,
};

/** Topics may have 249 characters, and the longest that is put behind a prefix has 10. */
const prefixPattern = /^(?!\.)[A-Za-z0-9._-]{1,200}$/;
const brokerPattern = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?$/;
const usualPort = 9092;

/** Throws BadKafkaUrl. */
export function parseKafkaUrl(url: string): KafkaPlace {
  if (url.replace(/[?&]ca=[^&]*/, '').includes('@')) {
    throw new BadKafkaUrl(url.replace(/\/\/.*@/s, '//…@'), 'a user in the URL', secretRemedy);
  }
  const [, authority = '', prefix = '', query] = /^kafka:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(url) ?? [];
  const brokers = authority.split(',').map((broker) => brokerOf(url, broker));
  if (!prefixPattern.test(prefix)) {
    throw new BadKafkaUrl(url, prefix === '' ? 'no prefix for the topics' : `the prefix "${prefix}"`);
  }
  return { brokers, prefix, ...settingsOf(url, new URLSearchParams(query ?? '')) };
}

/** The same place by the same name, whatever else the URL says. */
export function nameOf({ brokers, prefix }: KafkaPlace): string {
  return `kafka://${[...brokers].sort().join(',')}/${prefix}`;
}

function brokerOf(url: string, broker: string): string {
  const port = brokerPattern.exec(broker);
  if (port === null || Number(port[1] ?? usualPort) > 65_535)
    throw new BadKafkaUrl(url, broker === '' ? 'no broker' : `the broker "${broker}"`);
  return port[1] === undefined ? `${broker}:${usualPort}` : broker;
}

type Settings = Omit<KafkaPlace, 'brokers' | 'prefix'>;

function settingsOf(url: string, query: URLSearchParams): Settings {
  let settings: Settings = defaults;
  for (const [name, value] of query) {
    const read = readers.get(name);
    if (read === undefined) throw unknownSetting(url, name);
    const setting = read(value);
    if (setting === null) throw new BadKafkaUrl(url, `${name}=${value}`);
    settings = { ...settings, ...setting };
  }
  if (settings.ca !== null && !settings.tls) throw new BadKafkaUrl(url, 'ca without tls=true');
  return settings;
}

/** Null where the value cannot be meant. */
type Read = (value: string) => Partial<Settings> | null;

const readers: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['compression', oneOf(compressions, (compression) => ({ compression }))],
  ['partitions', upTo(10_000, (partitions) => ({ partitions }))],
  ['replicas', upTo(100, (replicas) => ({ replicas }))],
  ['tls', oneOf(['true', 'false'], (tls) => ({ tls: tls === 'true' }))],
  ['ca', (ca) => (ca === '' ? null : { ca })],
  ['patience', upTo(86_400, (patience) => ({ patience }))],
  ['login', oneOf(loginMechanisms, (login) => ({ login }))],
]);

function oneOf<Value extends string>(allowed: readonly Value[], as: (value: Value) => Partial<Settings>): Read {
  return (text) => {
    const value = allowed.find((one) => one === text);
    return value === undefined ? null : as(value);
  };
}

function upTo(most: number, as: (value: number) => Partial<Settings>): Read {
  return (text) => (/^[1-9][0-9]{0,5}$/.test(text) && Number(text) <= most ? as(Number(text)) : null);
}

function unknownSetting(url: string, name: string): BadKafkaUrl {
  if (secretName.test(name)) return new BadKafkaUrl(url, `the setting "${name}"`, secretRemedy);
  const near = nearest(name, readers.keys());
  return new BadKafkaUrl(
    url,
    `the setting "${name}"`,
    near === null ? `There are ${[...readers.keys()].join(', ')}.` : `Did you mean "${near}"?`,
  );
}

const secretName = /user|pass|secret|token|key|credential|sasl/i;
const secretRemedy = 'Set ICECORE_KAFKA_USER and ICECORE_KAFKA_PASSWORD, and add ?login=scram-sha-512 to the URL.';
const example = 'Write kafka://HOST:PORT/PREFIX, for example kafka://localhost:9092/lab.';

/** What is no setting may be a secret. */
function shown(url: string): string {
  return url.replace(/([?&])([^=&]*)=[^&]*/g, (all, before: string, name: string) =>
    readers.has(name) ? all : `${before}${name}=…`,
  );
}

export class BadKafkaUrl extends IcecoreError {
  override readonly name = 'BadKafkaUrl';

  constructor(text: string, what: string, remedy = example) {
    const url = shown(text);
    super('usage', `"${url}" is not the URL of a ledger in Kafka: ${what}`, { facts: { url, what }, remedy });
  }
}

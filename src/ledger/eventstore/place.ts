// Where a ledger is kept in EventStoreDB: `esdb://host:port,host:port/prefix?setting=value`. All streams of a ledger begin
// with its prefix. What is shown of a URL, and written into settings, never holds a password.
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearest } from '../../../schemas/nearest.ts';

export interface Host {
  readonly address: string;
  readonly port: number;
}

export interface EventStorePlace {
  /** In the order of the URL. */
  readonly hosts: readonly Host[];
  /** The hosts are found by asking the first for the names of all. */
  readonly discover: boolean;
  readonly prefix: string;
  /** Who one is, as far as the URL says it. */
  readonly user: string | null;
  readonly password: string | null;
  readonly tls: boolean;
  /** A file with the certificates to trust; null: those that Node trusts. */
  readonly ca: string | null;
  /** How long a server that does not answer is waited for, in seconds. */
  readonly patience: number;
}

type Settings = Pick<EventStorePlace, 'tls' | 'ca' | 'patience'>;

/** As connection strings of EventStoreDB have it. A server that is restarted is back within this time. */
const defaults: Settings = { tls: true, ca: null, patience: 30 };

const usualPort = 2113;
/** No dash: what stands before the first one is the category of a stream, for the server's own projections. */
const prefixPattern = /^[A-Za-z0-9_]{1,100}$/;
const hostPattern = /^([A-Za-z0-9._-]+)(?::([0-9]{1,5}))?$/;
const urlPattern = /^esdb(\+discover)?:\/\/(?:([^@/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;

/** Throws BadEventStoreUrl. */
export function parseEventStoreUrl(url: string): EventStorePlace {
  const [, discover, login, authority = '', prefix = '', query] = urlPattern.exec(url) ?? [];
  const hosts = authority.split(',').map((host) => hostOf(url, host));
  if (!prefixPattern.test(prefix)) {
    throw new BadEventStoreUrl(
      url,
      prefix === '' ? 'no prefix for the streams' : `the prefix "${prefix}"`,
      `A prefix is of letters, digits and underscores. ${example}`,
    );
  }
  const settings = settingsOf(url, new URLSearchParams(query ?? ''));
  return { hosts, discover: discover !== undefined, prefix, ...loginOf(url, login), ...settings };
}

/** The same place by the same name, whatever else the URL says. */
export function nameOf({ hosts, prefix }: EventStorePlace): string {
  return `esdb://${hosts.map(hostText).sort().join(',')}/${prefix}`;
}

export function hostText({ address, port }: Host): string {
  return `${address}:${port}`;
}

/** The URL without the password. */
export function withoutPassword(url: string): string {
  return url.replace(/^(esdb(?:\+discover)?:\/\/[^:@/]*):[^@/]*@/, '$1@');
}

function hostOf(url: string, host: string): Host {
  const [, address, digits] = hostPattern.exec(host) ?? [];
  const port = Number(digits ?? usualPort);
  if (address === undefined || port > 65_535)
    throw new BadEventStoreUrl(url, host === '' ? 'no host' : `the host "${host}"`);
  return { address, port };
}

function loginOf(url: string, login: string | undefined): Pick<EventStorePlace, 'user' | 'password'> {
  if (login === undefined) return { user: null, password: null };
  const [user = '', password = null, ...rest] = login.split(':');
  if (user === '' || rest.length > 0) throw new BadEventStoreUrl(url, 'a user that cannot be read', loginForm);
  try {
    return { user: decodeURIComponent(user), password: password === null ? null : decodeURIComponent(password) };
  } catch {
    throw new BadEventStoreUrl(url, 'a user that cannot be read', loginForm);
  }
}

function settingsOf(url: string, query: URLSearchParams): Settings {
  let settings = defaults;
  for (const [name, value] of query) {
    const read = readers.get(name);
    if (read === undefined) throw unknownSetting(url, name);
    const setting = read(value);
    if (setting === null) throw new BadEventStoreUrl(url, `${name}=${value}`);
    settings = { ...settings, ...setting };
  }
  if (settings.ca !== null && !settings.tls) throw new BadEventStoreUrl(url, 'ca with tls=false');
  return settings;
}

/** Null where the value cannot be meant. */
type Read = (value: string) => Partial<Settings> | null;

const readers: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['tls', (tls) => (tls === 'true' || tls === 'false' ? { tls: tls === 'true' } : null)],
  ['ca', (ca) => (ca === '' ? null : { ca })],
  ['patience', (text) => (/^[1-9][0-9]{0,4}$/.test(text) ? { patience: Number(text) } : null)],
]);

function unknownSetting(url: string, name: string): BadEventStoreUrl {
  const near = nearest(name, readers.keys());
  const remedy = near === null ? `There are ${[...readers.keys()].join(', ')}.` : `Did you mean "${near}"?`;
  return new BadEventStoreUrl(url, `the setting "${name}"`, remedy);
}

const example = 'Write esdb://HOST:PORT/PREFIX, for example esdb://localhost:2113/lab?tls=false.';
const loginForm = 'Write esdb://USER@HOST:PORT/PREFIX, and set ICECORE_EVENTSTORE_PASSWORD.';

/** What is no setting may be a secret. */
function shown(url: string): string {
  const known = withoutPassword(url).replace(/\/\/[^/]*@/, (login) => (login.includes(':') ? '//…@' : login));
  return known.replace(/([?&])([^=&]*)=[^&]*/g, (all, before: string, name: string) =>
    readers.has(name) ? all : `${before}${name}=…`,
  );
}

export class BadEventStoreUrl extends IcecoreError {
  override readonly name = 'BadEventStoreUrl';

  constructor(text: string, what: string, remedy = example) {
    const url = shown(text);
    super('usage', `"${url}" is not the URL of a ledger in EventStoreDB: ${what}`, { facts: { url, what }, remedy });
  }
}

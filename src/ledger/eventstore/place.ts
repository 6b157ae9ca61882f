// The location of a ledger in EventStoreDB: `esdb://host:port,host:port/prefix?setting=value`. All streams of a ledger begin
// with its prefix. Displayed URLs, and those in settings, never contain a password.
import type { IcecoreError } from '../../../schemas/errors.ts';
import type { Environment, Login, ServerUrl } from '../driver.ts';
import { serverRefused } from '../remote/errors.ts';
import {
  badServerUrl,
  oneOf,
  type ReadSetting,
  settingsIn,
  type UrlForm,
  upTo,
  withoutSecrets,
  withoutUnknown,
} from '../remote/server-url.ts';

export interface Host {
  readonly address: string;
  readonly port: number;
}

export interface EventStorePlace {
  /** In the order of the URL. */
  readonly hosts: readonly Host[];
  /** Discover the hosts: the first one is asked for the names of all. */
  readonly discover: boolean;
  readonly prefix: string;
  /** The user, as far as the URL contains it. */
  readonly user: string | null;
  readonly password: string | null;
  readonly tls: boolean;
  /** A file with the certificates to trust; null: those that Node trusts. */
  readonly ca: string | null;
  /** How long to wait for a server that does not answer, in seconds. */
  readonly patience: number;
}

export type EventStoreUrl = ServerUrl<'esdb', EventStorePlace>;

type Settings = Pick<EventStorePlace, 'tls' | 'ca' | 'patience'>;

const form: UrlForm<Settings> = {
  server: 'EventStoreDB',
  example: 'Write esdb://HOST:PORT/PREFIX, for example esdb://localhost:2113/lab?tls=false.',
  secretRemedy: null,
  // Like connection strings of EventStoreDB. The patience allows for a restart of the server.
  defaults: { tls: true, ca: null, patience: 30 },
  readers: new Map<string, ReadSetting<Settings>>([
    ['tls', oneOf(['true', 'false'], (tls) => ({ tls: tls === 'true' }))],
    ['ca', (ca) => (ca === '' ? null : { ca })],
    ['patience', upTo(99_999, (patience) => ({ patience }))],
  ]),
};

const usualPort = 2113;
/** Without dashes: for the server's projections, the part before the first dash is the category of a stream. */
const prefixPattern = /^[A-Za-z0-9_]{1,100}$/;
const hostPattern = /^([A-Za-z0-9._-]+)(?::([0-9]{1,5}))?$/;
const urlPattern = /^esdb(\+discover)?:\/\/(?:([^@/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;

/** Throws BadServerUrl. */
export function parseEventStoreUrl(url: string): EventStorePlace {
  const [, discover, login, authority = '', prefix = '', query] = urlPattern.exec(url) ?? [];
  // Otherwise a piece of a password with a special character would be shown as the host or a setting.
  if (login === undefined && url.replace(/[?&]ca=[^&]*/, '').includes('@')) throw malformedUser(url);
  const hosts = authority.split(',').map((host) => hostOf(url, host));
  if (!prefixPattern.test(prefix)) {
    throw refusal(
      url,
      prefix === '' ? 'no prefix for the streams' : `the prefix "${prefix}"`,
      `A prefix consists of letters, digits and underscores. ${form.example}`,
    );
  }
  const settings = settingsIn(form, withoutPassword(url), query ?? '');
  return { hosts, discover: discover !== undefined, prefix, ...loginOf(url, login), ...settings };
}

/** A unique name of the place, whatever else the URL contains. */
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
  if (address === undefined || port > 65_535) throw refusal(url, host === '' ? 'no host' : `the host "${host}"`);
  return { address, port };
}

function loginOf(url: string, login: string | undefined): Pick<EventStorePlace, 'user' | 'password'> {
  if (login === undefined) return { user: null, password: null };
  try {
    const [user = null, password = null, ...rest] = login.split(':').map(decodeURIComponent);
    if (user !== '' && rest.length === 0) return { user, password };
  } catch {
    // An escape that is none.
  }
  throw malformedUser(url);
}

function malformedUser(url: string): IcecoreError {
  return refusal(url, 'a malformed user', `Write esdb://USER@HOST:PORT/PREFIX, and set ${passwordVariable}.`);
}

function refusal(url: string, what: string, remedy?: string): IcecoreError {
  return badServerUrl(form, withoutUnknown(form, withoutSecrets(url)), what, remedy);
}

const userVariable = 'ICECORE_EVENTSTORE_USER';
export const passwordVariable = 'ICECORE_EVENTSTORE_PASSWORD';

/** A login within the URL is not a secret of this user. Unset variables count too, since they may be set later. */
export function variablesFor({ user, password, tls }: EventStorePlace): readonly string[] {
  if (!tls) return [];
  return [...(user === null ? [userVariable] : []), ...(password === null ? [passwordVariable] : [])];
}

/** A password is never sent without TLS. Throws ServerRefused. */
export function eventStoreLogin({ user, password, tls }: EventStorePlace, env: Environment): Login {
  // The client does not send these over a connection without TLS, but appends with a deadline all the same.
  if (!tls) return { user: 'icecore', password: 'icecore' };
  const name = user ?? env[userVariable];
  if (!name) throw refused('a server with TLS needs a user, and none is given');
  const secret = password ?? env[passwordVariable];
  if (!secret) throw refused(`there is no password for ${name}`);
  return { user: name, password: secret };
}

export function refused(what: string, cause?: unknown): IcecoreError {
  const remedy = `See ${userVariable} and ${passwordVariable}, and whether that user may read $all and write the streams.`;
  return serverRefused('EventStoreDB', what, remedy, cause);
}

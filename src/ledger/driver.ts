// The driver that a store registers in stores.ts: how its URLs are parsed, which files and servers they name, and how a ledger
// there is opened and checked. All other code goes through the driver and knows no store by name.
import type { Check } from './checks.ts';
import type { Ledger, OpenOptions } from './ledger.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A server that icecore connects to when it opens a store. */
export interface Contact {
  /** `HOST:PORT`, or `HOST` with the default port of its protocol. */
  readonly host: string;
  readonly tls: boolean;
  /** The environment variables whose values, or proofs of them, the server receives if they are set. */
  readonly variables: readonly string[];
  /** A file with the certificates that authenticate the server; null: those that Node trusts. */
  readonly ca: string | null;
}

export interface Login {
  readonly user: string;
  readonly password: string;
}

/** How to change the paths in a URL: those of the ledger's own files, and those of trusted certificates. */
export interface PathChange {
  readonly file: (path: string) => string;
  readonly certificates: (path: string) => string;
}

export interface StoreDriver<Url extends { readonly scheme: string }> {
  readonly scheme: Url['scheme'];
  /** The scheme of its URLs, without the colon. */
  readonly prefixes: readonly string[];
  /** The form of its URLs, for messages. */
  readonly form: string;
  /** True if it stores only the evidence of a split ledger. */
  readonly isEvidenceOnly: boolean;

  /** `refuse` creates the error to throw. A driver may throw its own instead. */
  parse(url: string, refuse: (what: string, remedy?: string) => Error): Url;
  /** As a person would type it, without a password. */
  text(url: Url): string;
  /** A unique name of the place, whatever else the URL contains. */
  name(url: Url): string;
  mapPaths(url: Url, change: PathChange): Url;
  /** The files that the ledger is in. */
  files(url: Url): readonly string[];
  contacts(url: Url): readonly Contact[];
  /** A password in the URL, and the environment variable where it belongs. */
  password(url: Url): { readonly variable: string; readonly value: string } | null;

  open(url: Url, options: OpenOptions): Promise<Ledger>;
  /** Whether there is something to open, without opening it; absent if only opening can find out. */
  isThere?(url: Url): boolean;
  /** The checks of `icecore doctor`. They change nothing. */
  check(url: Url): Promise<readonly Check[]>;
}

/** The URL of a store on servers. */
export interface ServerUrl<Scheme extends string, Place> {
  readonly scheme: Scheme;
  /** Without the password, which `place` may contain. */
  readonly url: string;
  readonly place: Place;
}

/** Changes the path in `ca=`, even if the name of the setting is percent-encoded. */
export function mapCertificates<Url extends ServerUrl<string, { readonly ca: string | null }>>(
  url: Url,
  change: (path: string) => string,
): Url {
  const { ca } = url.place;
  if (ca === null) return url;
  const [before = '', query = ''] = url.url.split(/\?(.*)/s);
  const settings = query.split('&').map((setting) => {
    const path = new URLSearchParams(setting).get('ca');
    return path === null ? setting : `ca=${encodeURIComponent(change(path)).replaceAll('%2F', '/')}`;
  });
  return { ...url, url: `${before}?${settings.join('&')}`, place: { ...url.place, ca: change(ca) } };
}

/** A check reports quickly that a server does not answer, instead of waiting for it. */
const checkPatience = 5;

export function withShortPatience<Url extends ServerUrl<string, { readonly patience: number }>>(url: Url): Url {
  return { ...url, place: { ...url.place, patience: Math.min(url.place.patience, checkPatience) } };
}

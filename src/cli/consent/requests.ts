// What a settings file asks for that its reader may not want: servers to connect to, credentials to send them, and files outside
// of its own folder.
import { sep } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { realPathOf } from '../../base/real-path.ts';
import type { ModelEntry } from '../../lab/models/entries.ts';
import { contactsOfBlobs } from '../../ledger/blobs/open.ts';
import type { Contact } from '../../ledger/driver.ts';
import { localOf } from '../../ledger/local.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import { contactsOfLedger, filesOf, type LedgerUrl } from '../../ledger/stores.ts';
import type { Io } from '../io.ts';
import { hostIn, isLoopback, pathOf } from './hosts.ts';

/** A server with the name by which it is allowed. */
export interface HostRequest {
  readonly kind: 'host';
  /** The setting: `ledger`, `blobs`, `models.gpt`. */
  readonly setting: string;
  readonly host: string;
  /** Below which everything of the host is asked for, without a slash at its end; empty for the whole host. */
  readonly path: string;
  readonly isLoopback: boolean;
  readonly tls: boolean;
  readonly variables: readonly string[];
  readonly ca: string | null;
}

export interface PathRequest {
  readonly kind: 'path';
  readonly setting: string;
  /** The real path. */
  readonly path: string;
}

/** A URL that nobody can say of where it leads; another environment may make it readable. */
export interface UnreadableRequest {
  readonly kind: 'unreadable';
  readonly setting: string;
}

export type Request = HostRequest | PathRequest | UnreadableRequest;

/** What is in `folder` needs no consent. */
export function requestsOfLedger(url: LedgerUrl, folder: string): readonly Request[] {
  return [
    ...contactsOfLedger(url).map((contact) => hostRequest('ledger', contact)),
    ...filesOfLedger(url).flatMap((file) => pathRequest('ledger', file, folder)),
  ];
}

/** With what is written beside them. */
function filesOfLedger(url: LedgerUrl): readonly string[] {
  const files = filesOf(url);
  if (files.length === 0) return [];
  const { tables, blobs, runs } = localOf(url);
  return [...files, tables, blobs, runs];
}

/** The URL must have an absolute path. */
export function requestsOfBlobs(url: string, folder: string, env: Io['env']): readonly Request[] {
  const path = url.startsWith('folder:') ? pathRequest('blobs', url.slice('folder:'.length), folder) : [];
  return [...contactsOfBlobs(url, env).map((contact) => hostRequest('blobs', contact)), ...path];
}

export function requestsOfModel({ name, url, key }: ModelEntry): readonly HostRequest[] {
  const { protocol, host } = new URL(url);
  const variables = key === null ? [] : [key];
  const contact = { host, tls: protocol === 'https:', variables, ca: null };
  return [{ ...hostRequest(`models.${name}`, contact), path: pathOf(url) }];
}

/** Everybody may be asked to connect to this machine without credentials. */
export function needsConsent(request: Request): boolean {
  return request.kind !== 'host' || !request.isLoopback || request.variables.length > 0;
}

/** What a person is asked about: one line each, those that send credentials last, where a long list does not hide them. */
export function linesOf(requests: readonly Request[]): readonly string[] {
  const asked = requests.filter(needsConsent);
  const sends = (request: Request): boolean => request.kind === 'host' && request.variables.length > 0;
  const last = asked.filter(sends);
  return [...asked.filter((request) => !sends(request)), ...last].map(textOfRequest);
}

/** What is asked for, also where it cannot be read. */
export function orUnreadable(setting: string, requests: () => readonly Request[]): readonly Request[] {
  try {
    return requests();
  } catch (fault) {
    if (fault instanceof IcecoreError) return [{ kind: 'unreadable', setting }];
    throw fault;
  }
}

function hostRequest(setting: string, { host: text, ...contact }: Contact): HostRequest {
  const host = hostIn(text) ?? text;
  return { kind: 'host', setting, host, path: '', isLoopback: isLoopback(host), ...contact };
}

/** None where the path is in the folder, with all symbolic links resolved. */
export function pathRequest(setting: string, path: string, folder: string): readonly PathRequest[] {
  const [real, home] = [realPathOf(path), realPathOf(folder)];
  const isInside = real === home || real.startsWith(home.endsWith(sep) ? home : `${home}${sep}`);
  return isInside ? [] : [{ kind: 'path', setting, path: real }];
}

/** The request as a person reads it, going on from the path of the file. */
export function textOfRequest(request: Request): string {
  const setting = settingShown(request.setting);
  if (request.kind === 'path') return `(${setting}) names ${shellWord(request.path)}, which is outside of its folder`;
  if (request.kind === 'unreadable') return `(${setting}) names a URL that cannot be read`;
  const { host, path, variables, ca, tls } = request;
  const server = `${host}${path}`;
  const named =
    variables.length > 1 ? `${variables.slice(0, -1).join(', ')} and ${variables.at(-1)}` : variables.join('');
  const does = variables.length === 0 ? `connects to ${server}` : `sends ${named} to ${server}`;
  const isPlain = !tls && !request.isLoopback;
  return `(${setting}) ${does}${isPlain ? ' without TLS' : ''}${ca === null ? '' : `, trusting the certificates in ${shellWord(ca)}`}`;
}

const model = 'models.';

/** Who wrote the file chose the names of its models: quoted, they cannot go on as what is asked for. */
function settingShown(setting: string): string {
  if (!setting.startsWith(model)) return setting;
  const name = setting.slice(model.length);
  return /^[\w.-]+$/.test(name) ? setting : `${model}${JSON.stringify(name)}`;
}

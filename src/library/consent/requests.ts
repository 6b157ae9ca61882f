// What a settings file asks for that needs consent: servers, credentials and files. Also the normal form of host names, and
// the owner of a file or folder found above the current one.
import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { realPathOf } from '../../base/real-path.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { ModelEntry } from '../../lab/models/entries.ts';
import { contactsOfBlobs } from '../../ledger/blobs/open.ts';
import type { Contact } from '../../ledger/driver.ts';
import { localPathsOf } from '../../ledger/local-paths.ts';
import { contactsOfLedger, filesOf, type LedgerUrl } from '../../ledger/stores.ts';
import type { Surroundings } from '../session.ts';

/** The host that a person typed as `HOST`, `HOST:PORT` or a URL; null if it is not one. */
export function hostIn(text: string): string | null {
  const isUrl = text.includes('://');
  const url = URL.parse(
    isUrl ? text.replace(/^[^:]*/, (scheme) => (scheme === 'http' ? 'http' : 'https')) : `https://${text}`,
  );
  if (url === null || url.hostname === '' || url.username !== '' || url.password !== '') return null;
  if (!isUrl && (url.pathname !== '/' || url.search !== '' || url.hash !== '')) return null;
  return hostOf(url);
}

/**
 * A host, or a path prefix on it: `api.example.org`, `gateway.example.org/v1/TEAM`. One gateway may serve many tenants, each
 * below its own path. Null if the text names no host.
 */
export function serverIn(text: string): string | null {
  const [, authority = '', path = ''] = /^((?:[^/]*:\/\/)?[^/?#]*)(\/[^?#]*)?$/.exec(text) ?? [];
  const host = hostIn(authority);
  if (host === null) return null;
  // Normalised by URL, without segments that lead upward.
  return `${host}${pathOf(`https://${host}${path}`)}`;
}

/** The path of a URL without trailing slashes. */
function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/+$/, '');
}

/** The host name of an http or https URL. Two hosts are the same if their names are equal. */
function hostOf({ hostname, port }: Pick<URL, 'hostname' | 'port'>): string {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return port === '' ? name : `${name}:${port}`;
}

/** Whether this is certainly the local machine. A name that only begins with `localhost`, or that DNS resolves, is not. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/:[0-9]+$/, '');
  if (name === 'localhost' || name === '[::1]') return true;
  return (
    /^127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}$/.test(name) || /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(name)
  );
}

/** A server, with the name by which it is allowed. */
export interface HostRequest {
  readonly kind: 'host';
  /** The setting: `ledger`, `blobs`, `models.gpt`. */
  readonly setting: string;
  readonly host: string;
  /** The path prefix that is requested, without a trailing slash; empty for the whole host. */
  readonly path: string;
  readonly isLoopback: boolean;
  readonly tls: boolean;
  readonly variables: readonly string[];
  readonly ca: string | null;
}

interface PathRequest {
  readonly kind: 'path';
  readonly setting: string;
  /** The real path. */
  readonly path: string;
}

/** A URL that cannot be parsed; another environment may make it readable. */
interface UnreadableRequest {
  readonly kind: 'unreadable';
  readonly setting: string;
}

/** A settings file that is a program. */
interface CodeRequest {
  readonly kind: 'code';
  readonly setting: string;
}

export type Request = HostRequest | PathRequest | UnreadableRequest | CodeRequest;

/** Files in `folder` need no consent. */
export function requestsOfLedger(url: LedgerUrl, folder: string): readonly Request[] {
  return [
    ...contactsOfLedger(url).map((contact) => hostRequest('ledger', contact)),
    ...filesOfLedger(url).flatMap((file) => pathRequest('ledger', file, folder)),
  ];
}

/** With the files written next to them. */
function filesOfLedger(url: LedgerUrl): readonly string[] {
  const files = filesOf(url);
  if (files.length === 0) return [];
  const { tables, blobs, runs } = localPathsOf(url);
  return [...files, tables, blobs, runs];
}

/** The URL must have an absolute path. */
export function requestsOfBlobs(url: string, folder: string, env: Surroundings['env']): readonly Request[] {
  const path = url.startsWith('folder:') ? pathRequest('blobs', url.slice('folder:'.length), folder) : [];
  return [...contactsOfBlobs(url, env).map((contact) => hostRequest('blobs', contact)), ...path];
}

export function requestsOfModel({ name, url, key }: ModelEntry): readonly HostRequest[] {
  const { protocol, host } = new URL(url);
  const variables = key === null ? [] : [key];
  const contact = { host, tls: protocol === 'https:', variables, ca: null };
  return [{ ...hostRequest(`models.${name}`, contact), path: pathOf(url) }];
}

/** Connecting to this machine without credentials needs no consent. */
export function needsConsent(request: Request): boolean {
  return request.kind !== 'host' || !request.isLoopback || request.variables.length > 0;
}

/** The lines of a question. Those that send credentials come last, where a long list does not hide them. */
export function linesOf(requests: readonly Request[]): readonly string[] {
  const asked = requests.filter(needsConsent);
  const sends = (request: Request): boolean => request.kind === 'host' && request.variables.length > 0;
  const last = asked.filter(sends);
  return [...asked.filter((request) => !sends(request)), ...last].map(textOfRequest);
}

/** The requests; an unreadable request if they cannot be parsed. */
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

/** None if the path is in the folder, with all symbolic links resolved. */
export function pathRequest(setting: string, path: string, folder: string): readonly PathRequest[] {
  const [real, allowed] = [realPathOf(path), realPathOf(folder)];
  const isInside = real === allowed || real.startsWith(allowed.endsWith(sep) ? allowed : `${allowed}${sep}`);
  return isInside ? [] : [{ kind: 'path', setting, path: real }];
}

/** The request as a person reads it, continuing the path of the file. */
export function textOfRequest(request: Request): string {
  if (request.kind === 'code') return 'runs its code, with your permissions';
  const setting = settingShown(request.setting);
  if (request.kind === 'path') return `(${setting}) names ${shellWord(request.path)}, which is outside its folder`;
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

/** The author of the file chose the names of its models. Quoting keeps a name from reading as part of the request. */
function settingShown(setting: string): string {
  if (!setting.startsWith(model)) return setting;
  const name = setting.slice(model.length);
  return /^[\w.-]+$/.test(name) ? setting : `${model}${JSON.stringify(name)}`;
}

/** The user of this process. */
interface User {
  readonly id: number;
  readonly group: number;
  /** Other trusted owners: root, and the user who called sudo. */
  readonly owners: readonly number[];
}

/** Null on systems without file owners. */
export function currentUser(env: Surroundings['env']): User | null {
  const [id, group] = [process.geteuid?.(), process.getegid?.()];
  if (id === undefined || group === undefined) return null;
  const caller = env['SUDO_UID'] ?? '';
  return { id, group, owners: [id, 0, ...(id === 0 && /^[0-9]+$/.test(caller) ? [Number(caller)] : [])] };
}

/** Why another user may have written the file, as a continuation of its path; null if none can have. */
export function foreignOwner(path: string, user: User | null): string | null {
  if (user === null) return null;
  const real = realpathSync(path);
  return (
    ownerFault(lstatSync(path), user) ??
    ownerFault(statSync(real), user) ??
    writerFault(statSync(real), user) ??
    [...new Set([dirname(path), dirname(real)])]
      .map((folder) => folderFault(folder, user))
      .find((fault) => fault !== null) ??
    null
  );
}

function ownerFault({ uid }: Stats, { owners }: User): string | null {
  return owners.includes(uid) ? null : `belongs to another user (id ${uid})`;
}

/** A user's own private group, as most systems create, counts as the user. */
function writerFault({ mode, gid }: Stats, { group }: User): string | null {
  if ((mode & 0o002) !== 0) return 'can be changed by every user';
  return (mode & 0o020) !== 0 && gid !== group && gid !== 0 ? `can be changed by another group (id ${gid})` : null;
}

function folderFault(folder: string, user: User): string | null {
  const stats = statSync(folder);
  // In a sticky folder such as /tmp everyone can create files, but only owners can replace theirs.
  const fault = ownerFault(stats, user) ?? ((stats.mode & 0o1000) === 0 ? writerFault(stats, user) : null);
  return fault === null ? null : `is in ${folder}, which ${fault}`;
}

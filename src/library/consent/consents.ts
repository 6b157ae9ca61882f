// What this user has allowed on this machine, and ICECORE_TRUST for jobs without a terminal. The process environment, and so
// the variable, is under the user's own control.
import { createHash } from 'node:crypto';
import { resolve, sep } from 'node:path';
import { realPathOf } from '../../base/real-path.ts';
import { UserRecords } from '../../base/user-settings.ts';
import { filesOf, parseLedgerUrl } from '../../ledger/stores.ts';
import type { Surroundings } from '../session.ts';
import { serverIn } from './requests.ts';

export class EnvironmentTrust {
  readonly everything: boolean;
  readonly #paths: readonly string[];
  readonly #hosts: readonly string[];
  readonly #words: readonly string[];

  constructor({ env, cwd }: Surroundings) {
    const whole = (env['ICECORE_TRUST'] ?? '').trim();
    const words = whole.split(',').flatMap((word) => word.trim() || []);
    // The URL of a Kafka ledger may contain commas.
    this.#words = [whole, ...words];
    this.everything = words.includes('*');
    this.#paths = words.flatMap((word) => pathIn(word) ?? []).map((path) => realPathOf(resolve(cwd, path)));
    this.#hosts = words.filter((word) => pathIn(word) === null).flatMap((word) => serverIn(word) ?? []);
  }

  /** Whether the path itself or a parent folder is named. The path must be real. */
  coversPath(path: string): boolean {
    return this.everything || this.#paths.some((named) => path === named || path.startsWith(withSlash(named)));
  }

  /** A ledger on servers. */
  coversUrl(url: string): boolean {
    return this.everything || this.#words.includes(url);
  }

  /** With or without TLS: naming the host in the environment allows both. */
  coversHost(host: string): boolean {
    return this.everything || this.#hosts.includes(host);
  }
}

/** A path, or the path in a ledger URL; null for a host. */
function pathIn(word: string): string | null {
  const file = fileOfLedger(word);
  if (file !== null) return file;
  const isPath = word === '.' || word === '..' || word.includes('/') || word.includes(sep);
  return isPath && !word.includes('://') ? word : null;
}

/** Null if the word is not the URL of a ledger in one file. */
function fileOfLedger(word: string): string | null {
  try {
    const url = parseLedgerUrl(word);
    return url.scheme === 'split' ? null : (filesOf(url)[0] ?? null);
  } catch {
    return null;
  }
}

function withSlash(folder: string): string {
  return folder.endsWith(sep) ? folder : `${folder}${sep}`;
}

type Environment = Surroundings['env'];

/** A settings file with exactly this content. */
export interface ConfigConsent {
  readonly kind: 'config';
  /** The real path, with symbolic links resolved. */
  readonly path: string;
  /** SHA-256 of the file's bytes. */
  readonly digest: string;
  /** As displayed to the user. In another environment, or after a link changes, the same file can ask for more. */
  readonly requests: readonly string[];
}

/** A server that may receive credentials. */
export interface HostConsent {
  readonly kind: 'host';
  /** In lower case, with the port if the URL has one and the path below which it is allowed: `api.example.org/v1`, `localhost:8000`. */
  readonly host: string;
  /** Present if credentials may also be sent unencrypted. */
  readonly withoutTls?: true;
}

/** A workspace that belongs to another user, or that others can write to. */
export interface WorkspaceConsent {
  readonly kind: 'workspace';
  /** The real path of the folder, with symbolic links resolved. */
  readonly path: string;
  /** As displayed to the user: its owner, and where its links lead. */
  readonly requests: readonly string[];
}

/** A program that a ledger or a run file names. */
export interface ProgramConsent {
  readonly kind: 'program';
  /** The ledger's identity; empty for a run file. */
  readonly ledger: string;
  /** The URL of the ledger with a real path (identities can be copied), or the real path of a run file. */
  readonly url: string;
  /** Allowing a file to be read as a policy does not allow executing it. */
  readonly use: 'run' | 'read';
  /** The program and its arguments, or the file. */
  readonly command: readonly string[];
  /** The real path of the folder it runs in. */
  readonly folder: string;
  /** `typed`: the user typed the command line. `trusted`: the user allowed what the ledger names. */
  readonly by: 'typed' | 'trusted';
}

/** Something that this user allowed: a settings file, a host, a workspace or a program. */
export type Consent = ConfigConsent | HostConsent | WorkspaceConsent | ProgramConsent;

const kinds = ['config', 'host', 'workspace', 'program'] as const;

/** A consent as stored, with the time it was given. */
export type GivenConsent = Consent & { readonly at: string };

export class Consents {
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** The recorded consent that covers at least the requests of this one; null if there is none. */
  find(wanted: Consent): GivenConsent | null {
    const key = keyOf(wanted);
    const found = this.#records(wanted.kind).read(key);
    return isGiven(found) && keyOf(found) === key && covers(found, wanted) ? found : null;
  }

  /** Requests of the same file or workspace that were allowed before stay allowed. */
  give(consent: Consent): void {
    const key = keyOf(consent);
    const records = this.#records(consent.kind);
    const before = records.read(key);
    const earlier = isGiven(before) && keyOf(before) === key ? requestsOf(before) : [];
    const requests = [...new Set([...earlier, ...requestsOf(consent)])].sort();
    const at = new Date().toISOString();
    records.write(key, { ...consent, ...(hasRequests(consent) ? { requests } : {}), at });
  }

  revoke(consent: Consent): void {
    this.#records(consent.kind).remove(keyOf(consent));
  }

  all(): readonly GivenConsent[] {
    return kinds.flatMap((kind) => this.#records(kind).all().filter(isGiven));
  }

  #records(kind: Consent['kind']): UserRecords {
    return new UserRecords(`trust/${kind}`, this.#env);
  }
}

const textsOf: Readonly<Record<Consent['kind'], readonly string[]>> = {
  config: ['path', 'digest'],
  host: ['host'],
  workspace: ['path'],
  program: ['ledger', 'url', 'folder', 'use', 'by'],
};

/** A changed settings file or a program with another argument has another key. */
function keyOf(consent: Consent): string {
  if (consent.kind === 'config') return JSON.stringify([consent.path, consent.digest]);
  if (consent.kind === 'host')
    return JSON.stringify(consent.withoutTls === true ? [consent.host, 'without TLS'] : [consent.host]);
  if (consent.kind === 'workspace') return JSON.stringify([consent.path]);
  return JSON.stringify([consent.ledger, consent.url, consent.folder, consent.use, ...consent.command]);
}

function hasRequests(consent: Consent): consent is ConfigConsent | WorkspaceConsent {
  return consent.kind === 'config' || consent.kind === 'workspace';
}

function requestsOf(consent: Consent): readonly string[] {
  return hasRequests(consent) ? consent.requests : [];
}

function covers(given: Consent, wanted: Consent): boolean {
  const allowed = new Set(requestsOf(given));
  return requestsOf(wanted).every((request) => allowed.has(request));
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isGiven(record: unknown): record is GivenConsent {
  if (typeof record !== 'object' || record === null) return false;
  const fields = record as Readonly<Record<string, unknown>>;
  const kind = kinds.find((known) => known === fields['kind']);
  if (kind === undefined || !['at', ...textsOf[kind]].every((field) => typeof fields[field] === 'string')) return false;
  if ((kind === 'config' || kind === 'workspace') && !isListOfTexts(fields['requests'])) return false;
  const command = fields['command'];
  return kind !== 'program' || (Array.isArray(command) && command.every((word) => typeof word === 'string'));
}

export function digestOf(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

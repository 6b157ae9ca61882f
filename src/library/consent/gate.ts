// The gate between a request of a found file and its use. Nothing that a file names is contacted before the user consents.
// Without consent, Untrusted is thrown; it says what to type, and a terminal turns it into a question.
import { basename, dirname, join } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Check } from '../../../schemas/output.ts';
import { escapeCharacter, escapeControls } from '../../base/escape.ts';
import { realPathOf } from '../../base/real-path.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Surroundings } from '../session.ts';
import {
  type ConfigConsent,
  type Consent,
  Consents,
  EnvironmentTrust,
  type HostConsent,
  type WorkspaceConsent,
} from './consents.ts';
import { type HostRequest, linesOf, needsConsent, type Request, textOfRequest } from './requests.ts';

/** Characters that are invisible, join others, or are blanks other than a space. */
const inkless = /[\p{Default_Ignorable_Code_Point}\p{Zs}\p{Co}\p{Cn}\u2800]/gu;

const blanks = / {3,}/g;
const sameEscape = /(\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|u\{[0-9a-f]+\}))\1{3,}/g;

/** On one line: long runs of blanks or of one escape are replaced by their length. Readable text stays unchanged. */
export function legible(text: string): string {
  return escapeControls(text.replace(inkless, (letter) => (letter === ' ' ? letter : escapeCharacter(letter))))
    .replace(blanks, (run) => `[${run.length} blanks]`)
    .replace(sameEscape, (run, one: string) => `${one}[${run.length / one.length} times]`);
}

interface UntrustedOptions {
  /** The current requests, one line each, naming the file, the host, the variable or the program. */
  readonly requests: readonly string[];
  /** Everything the consents would allow, if that is more. */
  readonly allowed?: readonly string[];
  /** The heading of a terminal's question. */
  readonly heading?: string;
  /** Giving all of these allows it. */
  readonly consents: readonly Consent[];
  /** What to type without a terminal. */
  readonly commands: readonly string[];
  readonly facts?: Readonly<Record<string, unknown>>;
  /** The remedy if no single command allows it. */
  readonly remedy?: string;
  /** Given if the requests are too long for one line; they are then shown below it. */
  readonly message?: string;
}

export class Untrusted extends IcecoreError {
  override readonly name: string = 'Untrusted';
  readonly requests: readonly string[];
  readonly allowed: readonly string[];
  readonly heading: string | null;
  readonly consents: readonly Consent[];

  constructor({
    requests,
    allowed = requests,
    heading,
    consents,
    commands,
    facts = {},
    remedy = remedyOf(commands),
    message = `${requests.join('; ')}, and you have not allowed that`,
  }: UntrustedOptions) {
    super('untrusted', message, {
      facts: { requests, commands, ...facts },
      remedy,
    });
    this.requests = requests;
    this.allowed = allowed;
    this.heading = heading ?? null;
    this.consents = consents;
  }
}

function remedyOf(commands: readonly string[]): string {
  return `If you trust it: ${commands.join(' && ')}`;
}

/** The command that allows a host. */
function commandForHost(host: string, withoutTls: boolean): string {
  return `icecore trust --host ${shellWord(host)}${withoutTls ? ' --without-tls' : ''}`;
}

/** The command that allows what a settings file or a workspace asks for. */
export function commandForPath(path: string): string {
  return `icecore trust ${shellWord(path)}`;
}

/** How doctor reports a service that it may not contact. */
export function untrustedCheck(name: string, { requests, remedy }: Untrusted): Check {
  return { name, status: 'warning', found: `not asked: ${requests.join('; ')}`, remedy };
}

/** A settings file that was read. */
export interface FoundConfig {
  readonly path: string;
  readonly realPath: string;
  /** The folder for its relative paths: the real location of the file. */
  readonly folder: string;
  readonly digest: string;
  /** The target if the file is a link into another folder, whose settings would be used here. */
  readonly link: string | null;
  /** Its owner, if it may belong to another user. */
  readonly foreign: string | null;
}

export class Gate {
  readonly #consents: Consents;
  readonly #standing: EnvironmentTrust;

  constructor(surroundings: Surroundings) {
    this.#consents = new Consents(surroundings.env);
    this.#standing = new EnvironmentTrust(surroundings);
  }

  /** With the link that leads to it, if any. */
  #coversConfig({ path, realPath, link }: FoundConfig): boolean {
    const place = join(realPathOf(dirname(path)), basename(path));
    return this.#standing.coversPath(realPath) && (link === null || this.#standing.coversPath(place));
  }

  /** The user has seen this content and these requests. */
  #hasConsent(config: FoundConfig, requests: readonly Request[]): boolean {
    return this.#consents.find(consentToConfig(config, requests)) !== null;
  }

  /** Throws Untrusted if another user may have written the file or it is a link. `all`: every request of the file, because trusting it allows all of them. */
  requireOwner(config: FoundConfig, all: () => readonly Request[]): void {
    if (config.foreign === null && config.link === null) return;
    if (this.#coversConfig(config) || this.#hasConsent(config, [])) return;
    throw this.#untrustedConfig(config, [], all());
  }

  /** Throws Untrusted unless this user has allowed these requests, which are some or all of the file's. */
  requireRequests(config: FoundConfig, some: readonly Request[], all: () => readonly Request[]): void {
    if (this.#hasConsent(config, some)) return;
    const isCovered = this.#coversConfig(config);
    if (!isCovered && some.some(needsWholeFile)) throw this.#untrustedConfig(config, some, all());
    // ICECORE_TRUST for a folder does not cover credentials sent unencrypted.
    const refused = some
      .filter(isHost)
      .filter((request) => (!isCovered || isPlain(request)) && this.#isRefused(request));
    if (refused.length > 0) throw this.#untrustedHosts(config.path, refused);
  }

  /** For servers that a ledger names and the user's settings do not. Throws Untrusted. */
  requireRecorded(ledger: string, request: HostRequest): void {
    if (needsWholeFile(request)) throw unnamable(ledger, request);
    if (this.#standing.everything) return;
    if (this.#isRefused(request)) throw this.#untrustedHosts(ledger, [request]);
  }

  /** Throws Untrusted unless this user has allowed `some`. `all`: everything that trusting the workspace allows. */
  requireWorkspace(path: string, some: readonly string[], all: () => readonly string[]): void {
    if (some.length === 0 || this.#standing.coversPath(realPathOf(path))) return;
    if (this.#consents.find(consentToWorkspace(path, some)) !== null) return;
    const allowed = all();
    throw new Untrusted({
      requests: some,
      allowed,
      consents: [consentToWorkspace(path, allowed)],
      commands: [commandForPath(path)],
      facts: { path },
    });
  }

  #isRefused(request: HostRequest): boolean {
    return needsConsent(request) && !this.#trustsHost(request);
  }

  #trustsHost(request: HostRequest): boolean {
    const servers = [...new Set([request.host, serverOf(request)])];
    return servers.some((host) => {
      if (this.#standing.coversHost(host)) return true;
      if (this.#consents.find({ kind: 'host', host, withoutTls: true }) !== null) return true;
      return !isPlain(request) && this.#consents.find({ kind: 'host', host }) !== null;
    });
  }

  #untrustedConfig(config: FoundConfig, some: readonly Request[], all: readonly Request[]): Untrusted {
    const { path } = config;
    const lines = (requests: readonly Request[]): readonly string[] =>
      linesOfConfig(config, requests).map((line) => `${shellWord(path)} ${line}`);
    return new Untrusted({
      requests: lines(some),
      allowed: lines(all),
      consents: [consentToConfig(config, all)],
      commands: [commandForPath(path)],
      facts: { path },
    });
  }

  #untrustedHosts(path: string, requests: readonly HostRequest[]): Untrusted {
    const commands = new Set(requests.map((request) => commandForHost(serverOf(request), isPlain(request))));
    return new Untrusted({
      requests: requests.map((request) => `${shellWord(path)} ${textOfRequest(request)}`),
      consents: requests.map(consentOf),
      commands: [...commands],
      facts: { path, hosts: [...new Set(requests.map(serverOf))] },
    });
  }
}

/** The lines of the question about a file; each continues its path. */
export function linesOfConfig({ path, foreign, link }: FoundConfig, requests: readonly Request[]): readonly string[] {
  const leads =
    link === null ? [] : [`(in ${shellWord(dirname(path))}) is a link to ${shellWord(link)}, outside its folder`];
  return [...(foreign === null ? [] : [foreign]), ...leads, ...linesOf(requests)];
}

/** Covers only what the user has seen, not what the file may request in another environment. */
export function consentToConfig(config: FoundConfig, requests: readonly Request[]): ConfigConsent {
  const { realPath: path, digest } = config;
  return { kind: 'config', path, digest, requests: linesOfConfig(config, requests) };
}

export function consentToWorkspace(path: string, requests: readonly string[]): WorkspaceConsent {
  return { kind: 'workspace', path: realPathOf(path), requests };
}

function serverOf({ host, path }: HostRequest): string {
  return `${host}${path}`;
}

function isHost(request: Request): request is HostRequest {
  return request.kind === 'host';
}

/** Secrets would be sent unencrypted. */
function isPlain({ tls, isLoopback, variables }: HostRequest): boolean {
  return !tls && !isLoopback && variables.length > 0;
}

/** Consent to a host alone does not cover these: the user must have seen the file. */
function needsWholeFile(request: Request): boolean {
  if (request.kind !== 'host') return true;
  const { setting, variables, ca } = request;
  const expected = setting.startsWith('models.') ? /^[A-Z][A-Z0-9_]*_API_KEY$/ : /^ICECORE_/;
  return variables.length > 0 && (ca !== null || !variables.every((name) => expected.test(name)));
}

function consentOf(request: HostRequest): HostConsent {
  return { kind: 'host', host: serverOf(request), ...(isPlain(request) ? { withoutTls: true } : {}) };
}

function unnamable(ledger: string, request: HostRequest): Untrusted {
  const { setting } = request;
  return new Untrusted({
    requests: [`${shellWord(ledger)} ${textOfRequest(request)}`],
    consents: [],
    commands: [],
    facts: { ledger, setting },
    remedy: `To allow it, write the model ${JSON.stringify(setting.replace('models.', ''))} into your own icecore.config.json.`,
  });
}

// The gate between what a found file asks for and its use. Nothing it names is contacted before consent: what needs it throws
// Untrusted, which says what to type, and which a terminal turns into a question.
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
  type HostConsent,
  StandingTrust,
  type WorkspaceConsent,
} from './consents.ts';
import { type HostRequest, linesOf, needsConsent, type Request, textOfRequest } from './requests.ts';

/** What has no ink or joins what has, every blank but the plain one, and what no font has to know. */
const inkless = /[\p{Default_Ignorable_Code_Point}\p{Zs}\p{Co}\p{Cn}\u2800]/gu;

const blanks = / {3,}/g;
const sameEscape = /(\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|u\{[0-9a-f]+\}))\1{3,}/g;

/** On one line: runs of blanks and of one escape are counted instead of shown. Legible text stays as it is. */
export function legible(text: string): string {
  return escapeControls(text.replace(inkless, (letter) => (letter === ' ' ? letter : escapeCharacter(letter))))
    .replace(blanks, (run) => `[${run.length} blanks]`)
    .replace(sameEscape, (run, one: string) => `${one}[${run.length / one.length} times]`);
}

interface UntrustedOptions {
  /** What is asked for now, one line each, naming the file, the host, the variable or the program. */
  readonly requests: readonly string[];
  /** Everything that the consents would allow, where that is more. */
  readonly allowed?: readonly string[];
  /** Shown above them when a terminal asks. */
  readonly heading?: string;
  /** All of them together allow it. */
  readonly consents: readonly Consent[];
  /** What to type where no terminal can ask. */
  readonly commands: readonly string[];
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Where no command alone allows it. */
  readonly remedy?: string;
  /** Where the requests are too long for one line: they are shown below it. */
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

/** What doctor says of a service that it leaves alone. */
export function notAsked(name: string, { requests, remedy }: Untrusted): Check {
  return { name, status: 'warning', found: `not asked: ${requests.join('; ')}`, remedy };
}

/** A settings file as it was read. */
export interface FoundConfig {
  readonly path: string;
  readonly realPath: string;
  /** What its relative paths are meant from: where it really is. */
  readonly folder: string;
  readonly digest: string;
  /** Where it leads as a link to another folder, whose settings would be taken for those of this one. */
  readonly link: string | null;
  /** Whose it is, where it may be another's. */
  readonly foreign: string | null;
}

export class Gate {
  readonly #consents: Consents;
  readonly #standing: StandingTrust;

  constructor(surroundings: Surroundings) {
    this.#consents = new Consents(surroundings.env);
    this.#standing = new StandingTrust(surroundings);
  }

  /** With the link to it, where there is one. */
  #coversConfig({ path, realPath, link }: FoundConfig): boolean {
    const place = join(realPathOf(dirname(path)), basename(path));
    return this.#standing.coversPath(realPath) && (link === null || this.#standing.coversPath(place));
  }

  /** The user has seen this content, and these requests of it. */
  #hasConsent(config: FoundConfig, requests: readonly Request[]): boolean {
    return this.#consents.find(consentToConfig(config, requests)) !== null;
  }

  /** Throws Untrusted where another user may have written it, or a link leads to it. `all`: whatever it asks for, since trusting it allows all of it. */
  requireOwner(config: FoundConfig, all: () => readonly Request[]): void {
    if (config.foreign === null && config.link === null) return;
    if (this.#coversConfig(config) || this.#hasConsent(config, [])) return;
    throw this.#untrustedConfig(config, [], all());
  }

  /** Throws Untrusted unless this user has allowed these requests of the file, which are some or all of them. */
  requireRequests(config: FoundConfig, some: readonly Request[], all: () => readonly Request[]): void {
    if (this.#hasConsent(config, some)) return;
    const isCovered = this.#coversConfig(config);
    if (!isCovered && some.some(needsWholeFile)) throw this.#untrustedConfig(config, some, all());
    // Who trusts a folder in advance has not seen whose secrets would go where in clear.
    const refused = some
      .filter(isHost)
      .filter((request) => (!isCovered || isPlain(request)) && this.#isRefused(request));
    if (refused.length > 0) throw this.#untrustedHosts(config.path, refused);
  }

  /** For what a ledger names, which no settings file of this user's has. Throws Untrusted. */
  requireRecorded(ledger: string, request: HostRequest): void {
    if (needsWholeFile(request)) throw unnamable(ledger, request);
    if (this.#standing.everything) return;
    if (this.#isRefused(request)) throw this.#untrustedHosts(ledger, [request]);
  }

  /** Throws Untrusted unless this user has allowed `some`. `all`: whatever trusting the workspace allows. */
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

/** What a person is asked about a file, each going on from its path. */
export function linesOfConfig({ path, foreign, link }: FoundConfig, requests: readonly Request[]): readonly string[] {
  const leads =
    link === null ? [] : [`(in ${shellWord(dirname(path))}) is a link to ${shellWord(link)}, outside of its folder`];
  return [...(foreign === null ? [] : [foreign]), ...leads, ...linesOf(requests)];
}

/** For what the person has seen, and nothing that the file may ask for in another environment. */
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

/** Secrets that everybody on the way could read. */
function isPlain({ tls, isLoopback, variables }: HostRequest): boolean {
  return !tls && !isLoopback && variables.length > 0;
}

/** A host's name does not say what these are: the user has to have seen the file. */
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
    remedy: `If you want that, write the model ${JSON.stringify(setting.replace('models.', ''))} into an icecore.config.json of your own.`,
  });
}

// Where things are: the home (.icecore, found upward like git's), the settings beside it, and the ledger's URL. Finding
// never makes anything.
import { existsSync, lstatSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../base/folders.ts';
import { shellWord } from '../../base/shell-word.ts';
import { type Local, localOf } from '../../ledger/local.ts';
import { absolute, filesOf, type LedgerUrl, parseLedgerUrl, textOf } from '../../ledger/stores.ts';
import { Gate } from '../consent/gate.ts';
import { currentUser, foreignOwner, pathRequest, type Request, requestsOfLedger } from '../consent/requests.ts';
import type { Caller, Surroundings } from '../session.ts';
import { type Config, findConfig, requestsOf } from './config.ts';
import { takePasswords } from './passwords.ts';
import { type Workspace, workspaceAbove, workspaceName } from './workspace-folder.ts';

export interface LedgerPlace {
  /** With absolute paths, so that it means the same from every folder. */
  readonly url: string;
  /** The files it is in; none where it is kept by a server. */
  readonly files: readonly string[];
  readonly from: '--ledger' | 'ICECORE_LEDGER' | 'config' | 'home';
}

export interface Place {
  readonly home: Workspace;
  /** Null where there is no such file. */
  readonly config: Config | null;
  readonly ledger: LedgerPlace;
}

/** Throws on settings that cannot be read, and Untrusted where they or the home ask for what this user has not allowed. */
export function findPlace(caller: Caller): Place {
  const home = findHome(caller);
  const config = findConfig(caller);
  return { home, config, ledger: findLedger(caller, config, home) };
}

/** Throws Untrusted where the home that is found may be another user's. */
export function findHome(surroundings: Surroundings): Workspace {
  const home = workspaceAbove(surroundings);
  if (home.from === 'found') requireOwnHome(surroundings, home.path);
  return home;
}

function requireOwnHome(surroundings: Surroundings, path: string): void {
  new Gate(surroundings).requireWorkspace(path, faultsOfHome(surroundings, path), () =>
    requestsOfHome(surroundings, path),
  );
}

/** What using a found home takes for granted and this user may not know. */
export function requestsOfHome(surroundings: Surroundings, path: string): readonly string[] {
  const own = linksOf(path, ledgerAt('sqlite:ledger.db', path, 'home').url);
  return [...new Set([...faultsOfHome(surroundings, path), ...own, ...linksOfRemote(path)])];
}

function faultsOfHome(surroundings: Surroundings, path: string): readonly string[] {
  const foreign = foreignOwner(path, currentUser(surroundings.env));
  return [
    ...(foreign === null ? [] : [`${shellWord(path)} ${foreign}`]),
    ...pathRequest('', path, dirname(path)).map(
      (leads) => `${shellWord(path)} leads to ${shellWord(leads.path)}, outside of its folder`,
    ),
  ];
}

/** Where `init` makes a home: like a repository of git's in this folder, whatever lies above it. Throws Untrusted. */
export function homeHere(surroundings: Surroundings): Workspace {
  if (surroundings.env['ICECORE_WORKSPACE']) return findHome(surroundings);
  const path = join(surroundings.cwd, workspaceName);
  const exists = existsSync(path);
  if (exists) requireOwnHome(surroundings, path);
  return { path, exists, from: 'default' };
}

/** Throws Untrusted where settings or a found home name a place that this user has not allowed. */
export function findLedger(caller: Caller, config: Config | null, home: Workspace): LedgerPlace {
  const { url, from } = namedLedger(caller, config, home);
  if (from === 'config' && config !== null) requireSettled(caller, config, url);
  if (home.from !== 'ICECORE_WORKSPACE' && home.exists) {
    if (from === 'home') requireInside(caller, home.path, linksOf(home.path, url));
    // Tables, blobs and runs of a ledger on servers are in the workspace.
    else if (filesOf(url).length === 0) requireInside(caller, home.path, linksOfRemote(home.path));
  }
  takePasswords(url);
  return placeOf(url, from);
}

/** The same without asking whether it is allowed: to be compared with another, and never to be opened. */
export function statedLedger({ env, cwd }: Surroundings, config: Config | null, home: Workspace): LedgerPlace {
  const { url, from } = namedLedger({ env, cwd }, config, home);
  return placeOf(url, from);
}

interface NamedLedger {
  readonly url: LedgerUrl;
  readonly from: LedgerPlace['from'];
}

function namedLedger({ env, cwd, ledger }: Caller, config: Config | null, home: Workspace): NamedLedger {
  if (ledger !== undefined) return ledgerAt(ledger, cwd, '--ledger');
  const named = env['ICECORE_LEDGER'];
  if (named) return ledgerAt(named, cwd, 'ICECORE_LEDGER');
  if (config?.ledger !== undefined) return ledgerAt(config.ledger, config.folder, 'config');
  return ledgerAt('sqlite:ledger.db', home.path, 'home');
}

/** A relative path is meant from the folder of whoever wrote it. */
function ledgerAt(url: string, folder: string, from: LedgerPlace['from']): NamedLedger {
  return { url: absolute(parseLedgerUrl(url), folder), from };
}

/** With absolute paths and without passwords. */
function placeOf(url: LedgerUrl, from: LedgerPlace['from']): LedgerPlace {
  return { url: textOf(url), files: filesOf(url), from };
}

function requireSettled(surroundings: Surroundings, config: Config, url: LedgerUrl): void {
  const requests = requestsOfLedger(url, config.folder);
  new Gate(surroundings).requireRequests(config, requests, () => requestsOf(config, surroundings.env));
}

/** A link in a folder that somebody handed over could lead commands to other files of this user's. */
function requireInside(surroundings: Surroundings, workspace: string, links: readonly string[]): void {
  new Gate(surroundings).requireWorkspace(workspace, links, () => requestsOfHome(surroundings, workspace));
}

function linksOf(workspace: string, url: LedgerUrl): readonly string[] {
  return linesOfPaths(workspace, requestsOfLedger(url, workspace));
}

/** The folders of ledgers that are on servers, and what is kept in them. */
function linksOfRemote(workspace: string): readonly string[] {
  const folders = readdirSync(workspace).filter((name) => /^[a-z]+-[0-9a-f]{8}$/.test(name));
  const paths = folders.flatMap((name) => ['', 'tables', 'blobs', 'runs'].map((part) => join(workspace, name, part)));
  return linesOfPaths(
    workspace,
    paths.flatMap((path) => pathRequest('ledger', path, workspace)),
  );
}

function linesOfPaths(workspace: string, requests: readonly Request[]): readonly string[] {
  return requests.flatMap((request) =>
    request.kind === 'path' ? [`${shellWord(workspace)} leads to ${shellWord(request.path)}, outside of it`] : [],
  );
}

/** Where what belongs to the ledger lies. */
export function localTo({ home, ledger }: Pick<Place, 'home' | 'ledger'>): Local {
  return localOf(parseLedgerUrl(ledger.url), home.path);
}

/** Makes the home where it is missing and something of the ledger is to lie in it; says whether it did. */
export function ensureHomeFor({ home, ledger }: Pick<Place, 'home' | 'ledger'>): boolean {
  return (ledger.from === 'home' || ledger.files.length === 0) && ensureHome(home);
}

/** Makes the home where it is missing; says whether it did. */
export function ensureHome(home: Pick<Workspace, 'path'>): boolean {
  const made = !existsSync(home.path);
  makeFolder(home.path);
  const ignore = join(home.path, '.gitignore');
  // Exclusively: a link that leads nowhere would have it written elsewhere.
  if (lstatSync(ignore, { throwIfNoEntry: false }) === undefined) writeFileSync(ignore, '*\n', { flag: 'wx' });
  return made;
}

// Where things are: the workspace (.icecore, found upward like git's), the settings beside it, and the ledger's URL. Finding
// never makes anything.
import { existsSync, lstatSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../base/folders.ts';
import { shellWord } from '../../base/shell-word.ts';
import { type LocalPaths, localPathsOf } from '../../ledger/local-paths.ts';
import { absolute, filesOf, type LedgerUrl, parseLedgerUrl, textOf } from '../../ledger/stores.ts';
import { Gate } from '../consent/gate.ts';
import { currentUser, foreignOwner, pathRequest, type Request, requestsOfLedger } from '../consent/requests.ts';
import type { Caller, Surroundings } from '../session.ts';
import { type Config, findConfig, requestsOf } from './config.ts';
import { takePasswords } from './passwords.ts';
import { type WorkspaceFolder, workspaceAbove, workspaceName } from './workspace-folder.ts';

export interface LedgerPlace {
  /** With absolute paths, so that it means the same from every folder. */
  readonly url: string;
  /** The files it is in; none where it is kept by a server. */
  readonly files: readonly string[];
  readonly from: '--ledger' | 'ICECORE_LEDGER' | 'config' | 'workspace';
}

export interface Place {
  readonly workspace: WorkspaceFolder;
  /** Null where there is no such file. */
  readonly config: Config | null;
  readonly ledger: LedgerPlace;
}

/** Throws on settings that cannot be read, and Untrusted where they or the workspace ask for what this user has not allowed. */
export function findPlace(caller: Caller): Place {
  const workspace = findWorkspace(caller);
  const config = findConfig(caller);
  return { workspace, config, ledger: findLedger(caller, config, workspace) };
}

/** Throws Untrusted where the workspace that is found may be another user's. */
export function findWorkspace(surroundings: Surroundings): WorkspaceFolder {
  const workspace = workspaceAbove(surroundings);
  if (workspace.from === 'found') requireOwnWorkspace(surroundings, workspace.path);
  return workspace;
}

function requireOwnWorkspace(surroundings: Surroundings, path: string): void {
  new Gate(surroundings).requireWorkspace(path, faultsOfWorkspace(surroundings, path), () =>
    requestsOfWorkspace(surroundings, path),
  );
}

/** What using a found workspace takes for granted and this user may not know. */
export function requestsOfWorkspace(surroundings: Surroundings, path: string): readonly string[] {
  const own = linksOf(path, ledgerAt('sqlite:ledger.db', path, 'workspace').url);
  return [...new Set([...faultsOfWorkspace(surroundings, path), ...own, ...linksOfRemote(path)])];
}

function faultsOfWorkspace(surroundings: Surroundings, path: string): readonly string[] {
  const foreign = foreignOwner(path, currentUser(surroundings.env));
  return [
    ...(foreign === null ? [] : [`${shellWord(path)} ${foreign}`]),
    ...pathRequest('', path, dirname(path)).map(
      (leads) => `${shellWord(path)} leads to ${shellWord(leads.path)}, outside of its folder`,
    ),
  ];
}

/** Where `init` makes a workspace: like a repository of git's in this folder, whatever lies above it. Throws Untrusted. */
export function workspaceForInit(surroundings: Surroundings): WorkspaceFolder {
  if (surroundings.env['ICECORE_WORKSPACE']) return findWorkspace(surroundings);
  const path = join(surroundings.cwd, workspaceName);
  const exists = existsSync(path);
  if (exists) requireOwnWorkspace(surroundings, path);
  return { path, exists, from: 'default' };
}

/** Throws Untrusted where settings or a found workspace name a place that this user has not allowed. */
export function findLedger(caller: Caller, config: Config | null, workspace: WorkspaceFolder): LedgerPlace {
  const { url, from } = namedLedger(caller, config, workspace);
  if (from === 'config' && config !== null) requireSettled(caller, config, url);
  if (workspace.from !== 'ICECORE_WORKSPACE' && workspace.exists) {
    if (from === 'workspace') requireInside(caller, workspace.path, linksOf(workspace.path, url));
    // Tables, blobs and runs of a ledger on servers are in the workspace.
    else if (filesOf(url).length === 0) requireInside(caller, workspace.path, linksOfRemote(workspace.path));
  }
  takePasswords(url);
  return placeOf(url, from);
}

/** The same without asking whether it is allowed: to be compared with another, and never to be opened. */
export function statedLedger(
  { env, cwd }: Surroundings,
  config: Config | null,
  workspace: WorkspaceFolder,
): LedgerPlace {
  const { url, from } = namedLedger({ env, cwd }, config, workspace);
  return placeOf(url, from);
}

interface NamedLedger {
  readonly url: LedgerUrl;
  readonly from: LedgerPlace['from'];
}

function namedLedger({ env, cwd, ledger }: Caller, config: Config | null, workspace: WorkspaceFolder): NamedLedger {
  if (ledger !== undefined) return ledgerAt(ledger, cwd, '--ledger');
  const named = env['ICECORE_LEDGER'];
  if (named) return ledgerAt(named, cwd, 'ICECORE_LEDGER');
  if (config?.ledger !== undefined) return ledgerAt(config.ledger, config.folder, 'config');
  return ledgerAt('sqlite:ledger.db', workspace.path, 'workspace');
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
  new Gate(surroundings).requireWorkspace(workspace, links, () => requestsOfWorkspace(surroundings, workspace));
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
export function localTo({ workspace, ledger }: Pick<Place, 'workspace' | 'ledger'>): LocalPaths {
  return localPathsOf(parseLedgerUrl(ledger.url), workspace.path);
}

/** Makes the workspace where it is missing and something of the ledger is to lie in it; says whether it did. */
export function ensureWorkspaceFor({ workspace, ledger }: Pick<Place, 'workspace' | 'ledger'>): boolean {
  return (ledger.from === 'workspace' || ledger.files.length === 0) && ensureWorkspace(workspace);
}

/** Makes the workspace where it is missing; says whether it did. */
export function ensureWorkspace(workspace: Pick<WorkspaceFolder, 'path'>): boolean {
  const made = !existsSync(workspace.path);
  makeFolder(workspace.path);
  const ignore = join(workspace.path, '.gitignore');
  // Exclusively: a link that leads nowhere would have it written elsewhere.
  if (lstatSync(ignore, { throwIfNoEntry: false }) === undefined) writeFileSync(ignore, '*\n', { flag: 'wx' });
  return made;
}

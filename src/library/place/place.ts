// Finds the workspace (.icecore, searched upward like git's), the settings next to it, and the URL of the ledger. Finding
// creates nothing.
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
  /** With absolute paths, so that it means the same in every folder. */
  readonly url: string;
  /** Its files; none for a ledger on servers. */
  readonly files: readonly string[];
  readonly from: '--ledger' | 'ICECORE_LEDGER' | 'config' | 'workspace';
}

export interface Place {
  readonly workspace: WorkspaceFolder;
  /** Null if there is no settings file. */
  readonly config: Config | null;
  readonly ledger: LedgerPlace;
}

/** Throws on unreadable settings, and Untrusted if they or the workspace ask for something this user has not allowed. */
export function findPlace(caller: Caller): Place {
  const workspace = findWorkspace(caller);
  const config = findConfig(caller);
  return { workspace, config, ledger: findLedger(caller, config, workspace) };
}

/** Throws Untrusted if the workspace found may be another user's. */
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

/** What using a found workspace implies and this user may not know. */
export function requestsOfWorkspace(surroundings: Surroundings, path: string): readonly string[] {
  const own = linksOf(path, ledgerAt('sqlite:ledger.db', path, 'workspace').url);
  return [...new Set([...faultsOfWorkspace(surroundings, path), ...own, ...linksOfRemote(path)])];
}

function faultsOfWorkspace(surroundings: Surroundings, path: string): readonly string[] {
  const foreign = foreignOwner(path, currentUser(surroundings.env));
  return [
    ...(foreign === null ? [] : [`${shellWord(path)} ${foreign}`]),
    ...pathRequest('', path, dirname(path)).map(
      (leads) => `${shellWord(path)} leads to ${shellWord(leads.path)}, outside its folder`,
    ),
  ];
}

/** Where `init` creates a workspace: in this folder, like git, whatever is above. Throws Untrusted. */
export function workspaceForInit(surroundings: Surroundings): WorkspaceFolder {
  if (surroundings.env['ICECORE_WORKSPACE']) return findWorkspace(surroundings);
  const path = join(surroundings.cwd, workspaceName);
  const exists = existsSync(path);
  if (exists) requireOwnWorkspace(surroundings, path);
  return { path, exists, from: 'default' };
}

/** Throws Untrusted if settings or a found workspace name a location that this user has not allowed. */
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

/** The same without the check of consent: only to compare, never to open. */
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

/** A relative path is relative to the folder of its source. */
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

/** A link in a shared folder could lead commands to other files of this user. */
function requireInside(surroundings: Surroundings, workspace: string, links: readonly string[]): void {
  new Gate(surroundings).requireWorkspace(workspace, links, () => requestsOfWorkspace(surroundings, workspace));
}

function linksOf(workspace: string, url: LedgerUrl): readonly string[] {
  return linesOfPaths(workspace, requestsOfLedger(url, workspace));
}

/** The folders of ledgers on servers, with their content. */
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

/** The local folders of the ledger. */
export function localTo({ workspace, ledger }: Pick<Place, 'workspace' | 'ledger'>): LocalPaths {
  return localPathsOf(parseLedgerUrl(ledger.url), workspace.path);
}

/** Creates a missing workspace if the ledger stores something in it; returns whether it did. */
export function ensureWorkspaceFor({ workspace, ledger }: Pick<Place, 'workspace' | 'ledger'>): boolean {
  return (ledger.from === 'workspace' || ledger.files.length === 0) && ensureWorkspace(workspace);
}

/** Creates a missing workspace; returns whether it did. */
export function ensureWorkspace(workspace: Pick<WorkspaceFolder, 'path'>): boolean {
  const made = !existsSync(workspace.path);
  makeFolder(workspace.path);
  const ignore = join(workspace.path, '.gitignore');
  // Exclusive: a dangling link must not make this write elsewhere.
  if (lstatSync(ignore, { throwIfNoEntry: false }) === undefined) writeFileSync(ignore, '*\n', { flag: 'wx' });
  return made;
}

// `doctor`: checks what is installed, reachable and writable. Checks are independent: a failed one never prevents another.
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { IcecoreError } from '../../schemas/errors.ts';
import type { Check, DoctorReport } from '../../schemas/output.ts';
import { counted } from '../base/quantity.ts';
import { checkBlobs } from '../ledger/blobs/health.ts';
import { LedgerMissing } from '../ledger/errors.ts';
import { checkClock, checkLedger } from '../ledger/health.ts';
import type { Health } from '../projections/health.ts';
import { Untrusted, untrustedCheck } from './consent/gate.ts';
import { listOf } from './listing.ts';
import { blobsUrl } from './opening/blobs.ts';
import { projectModels } from './opening/models.ts';
import { tablesFolder, tablesTrust } from './opening/tables.ts';
import { type Config, findConfig, jsonConfigName } from './place/config.ts';
import { howToMake } from './place/missing.ts';
import { findLedger, findWorkspace } from './place/place.ts';
import { howToUse, notUsed } from './place/unused-config.ts';
import type { WorkspaceFolder } from './place/workspace-folder.ts';
import type { Caller, Session, Surroundings } from './session.ts';
import { icecoreVersion } from './version.ts';

const oldestNode = 24;

/** What the doctor checks. */
export interface DoctorOptions {
  /** False: sends nothing to models, which may cost money. */
  readonly models?: boolean;
}

/** Changes nothing and creates nothing. */
export async function doctor(session: Session, { models = true }: DoctorOptions = {}): Promise<DoctorReport> {
  const checks = await allChecks(session, models);
  return { status: worst(checks), ...listOf(checks) };
}

async function allChecks(session: Session, models: boolean): Promise<readonly Check[]> {
  const { workspace, check: workspaceCheck } = workspaceOf(session);
  const { config, check } = configuration(session);
  return [
    ...installed(),
    workspaceCheck,
    check,
    ...(workspace === null ? [] : await ledgerChecks(session, config, workspace)),
    ...(models && config?.models !== undefined ? await checksOfModels(session, config) : []),
  ];
}

function installed(): readonly Check[] {
  const { node, sqlite } = process.versions;
  const isOld = Number(node.split('.')[0]) < oldestNode;
  return [
    ok('icecore', icecoreVersion()),
    isOld
      ? { name: 'node', status: 'failed', found: node, remedy: `Install Node ${oldestNode} or later.` }
      : ok('node', `${node} (${process.execPath})`),
    sqliteCheck(sqlite ?? '0'),
  ];
}

/** In earlier versions, two connections that checkpoint the write-ahead log at the same moment can, in rare cases, damage it. */
const soundSqlite = [3, 51, 3] as const;

export function sqliteCheck(version: string): Check {
  const parts = version.split('.').map(Number);
  const differing = soundSqlite.findIndex((least, i) => (parts[i] ?? 0) !== least);
  if (differing < 0 || (parts[differing] ?? 0) > (soundSqlite[differing] ?? 0)) return ok('sqlite', version);
  const remedy = `Use a version of Node with SQLite ${soundSqlite.join('.')} or later; earlier versions have a rare bug in write-ahead logs.`;
  return { name: 'sqlite', status: 'warning', found: version, remedy };
}

function workspaceOf(session: Session): { readonly workspace: WorkspaceFolder | null; readonly check: Check } {
  try {
    const workspace = findWorkspace(session);
    return { workspace, check: writableCheck(workspace) };
  } catch (fault) {
    return { workspace: null, check: failure('workspace', fault) };
  }
}

function writableCheck(workspace: WorkspaceFolder): Check {
  const where = workspace.from === 'ICECORE_WORKSPACE' ? `${workspace.path} (ICECORE_WORKSPACE)` : workspace.path;
  const folder = nearestFolder(workspace.path);
  if (!isWritable(folder)) {
    const remedy = `Check the owner and permissions of ${folder}, or set ICECORE_WORKSPACE.`;
    return {
      name: 'workspace',
      status: workspace.exists ? 'failed' : 'warning',
      found: `${where}: not writable`,
      remedy,
    };
  }
  return workspace.exists
    ? ok('workspace', where)
    : ok('workspace', `none yet; the first command that writes creates ${where}`);
}

function configuration(session: Session): { readonly config: Config | null; readonly check: Check } {
  try {
    const config = findConfig(session);
    return { config, check: configCheck(config, session) };
  } catch (fault) {
    return { config: null, check: failure('settings', fault) };
  }
}

function configCheck(config: Config | null, { config: isLookedAt }: Surroundings): Check {
  if (config === null) {
    const none = isLookedAt === false ? 'ignored (--no-config)' : `no ${jsonConfigName}; it is optional`;
    return ok('settings', none);
  }
  if (config.isKnown) return ok('settings', config.path);
  return { name: 'settings', status: 'warning', found: `${config.path}: ${notUsed}`, remedy: howToUse(config) };
}

async function ledgerChecks(
  session: Session,
  config: Config | null,
  workspace: WorkspaceFolder,
): Promise<readonly Check[]> {
  try {
    const ledger = findLedger(session, config, workspace);
    const source =
      ledger.from === 'workspace'
        ? 'in the workspace'
        : `named by ${ledger.from === 'config' ? config?.path : ledger.from}`;
    const checks = await checkLedger(ledger.url);
    const isWell = !checks.some(({ status }) => status === 'failed');
    const isThere = isWell && !checks.some(isMissing);
    const remedy = howToMake(session, { workspace, config, ledger });
    return [
      ok('ledger URL', `${ledger.url} (${source})`),
      ...checks.map((check) => (isMissing(check) ? { ...check, remedy } : check)),
      ...(isThere ? [await checkClock(ledger.url)] : []),
      // Do not wait again for servers that were unreachable a moment ago.
      ...(await blobChecks(session, isWell ? ledger.url : null)),
      // Fix the ledger first.
      ...(isWell ? await tablesChecks(session, ledger.url) : []),
    ];
  } catch (fault) {
    return [fault instanceof Untrusted ? untrustedCheck('ledger', fault) : failure('ledger URL', fault)];
  }
}

async function blobChecks(caller: Caller, ledgerUrl: string | null): Promise<readonly Check[]> {
  try {
    return await checkBlobs(ledgerUrl, blobsUrl(caller));
  } catch (fault) {
    return [fault instanceof Untrusted ? untrustedCheck('blobs', fault) : failure('blobs', fault)];
  }
}

/** The check of the ledger knows its URL, not how it was chosen; the remedy depends on that. */
function isMissing({ name, status }: Check): boolean {
  return name === 'ledger' && status === 'warning';
}

const rebuild = 'icecore tables refresh --rebuild rebuilds them.';

const reinstall = 'Run npm ci again on this machine: DuckDB has a package per platform.';

async function tablesChecks(surroundings: Surroundings, ledgerUrl: string): Promise<readonly Check[]> {
  try {
    const { version } = await import('@duckdb/node-api');
    return [
      { name: 'duckdb', status: 'ok', found: version(), remedy: '' },
      ...(await ofTables(surroundings, ledgerUrl)),
    ];
  } catch (fault) {
    const found = fault instanceof Error ? (fault.message.split('\n', 1)[0] ?? '') : String(fault);
    return [{ name: 'duckdb', status: 'failed', found: `missing: ${found}`, remedy: reinstall }];
  }
}

async function ofTables(surroundings: Surroundings, ledgerUrl: string): Promise<readonly Check[]> {
  const { findTables } = await import('../projections/health.ts');
  try {
    const tables = await findTables(
      ledgerUrl,
      (ledger) => tablesFolder(surroundings, ledger),
      tablesTrust(surroundings),
    );
    if (tables === null)
      return [{ name: 'tables', status: 'ok', found: 'none yet; icecore sql creates them', remedy: '' }];
    const { path, health } = tables;
    const isWarning = health.is === 'refused' || health.is === 'of another history';
    const found = `${path}, ${standing(health)}`;
    return [{ name: 'tables', status: isWarning ? 'warning' : 'ok', found, remedy: isWarning ? rebuild : '' }];
  } catch (fault) {
    if (fault instanceof LedgerMissing) return [];
    const found = fault instanceof Error ? fault.message : String(fault);
    const remedy = fault instanceof IcecoreError ? fault.remedy : '';
    return [{ name: 'tables', status: 'warning', found, remedy: remedy || rebuild }];
  }
}

function standing(health: Health): string {
  switch (health.is) {
    case 'behind':
      return health.by === 0 ? 'up to date' : `${counted(health.by, 'event')} behind`;
    case 'in use':
      return 'in use by another process';
    case 'of other definitions':
      return 'updated to the current definitions by the next query';
    case 'interrupted':
      return 'left by a process that was stopped while writing; the next query continues';
    case 'refused':
      return `not used: ${health.why}; the next query rebuilds them`;
    case 'of another history':
      return 'not used: the ledger was rewritten since they were filled; the next query rebuilds them';
    case 'unusable':
      return 'rebuilt by the next query';
  }
}

/** Loaded only if models are configured. */
async function checksOfModels(session: Session, config: Config): Promise<readonly Check[]> {
  const { modelChecks } = await import('./doctor-models.ts');
  return await modelChecks(session, projectModels(session, '', config));
}

function nearestFolder(path: string): string {
  let folder = path;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function ok(name: string, found: string): Check {
  return { name, status: 'ok', found, remedy: '' };
}

function failure(name: string, fault: unknown): Check {
  const found = fault instanceof Error ? fault.message : String(fault);
  return { name, status: 'failed', found, remedy: fault instanceof IcecoreError ? fault.remedy : '' };
}

const severity = ['ok', 'warning', 'failed'] as const;

function worst(checks: readonly Check[]): Check['status'] {
  return severity[Math.max(...checks.map(({ status }) => severity.indexOf(status)))] ?? 'ok';
}

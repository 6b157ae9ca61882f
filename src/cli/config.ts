// The settings of a project: icecore.config.json, in the folder icecore is called in or above it. Only what it knows may
// stand there, because a misspelt setting is one that silently does nothing.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { IcecoreError, type Issue } from '../../schemas/errors.ts';
import { parseJson } from '../../schemas/json-text.ts';
import type { ModelEntries } from '../../schemas/models.ts';
import { nearest } from '../../schemas/nearest.ts';
import { BadModels, type ModelEntry, modelEntriesOf } from '../lab/models/entries.ts';
import { findJsonFault } from '../producers/intake/json-fault.ts';
import { upward } from './upward.ts';

export const configName = 'icecore.config.json';

export interface Config {
  readonly path: string;
  readonly ledger?: string;
  readonly blobs?: string;
  /** As they stand in the file, and in order. */
  readonly models?: ModelEntries;
}

/** What each must be. */
const allowed = {
  ledger: 'the URL of a ledger, or {"decisions": URL, "evidence": URL}',
  blobs: 'the URL of a blob store',
} as const;
const settings: readonly string[] = [...Object.keys(allowed), 'models'];

export class BadConfig extends IcecoreError {
  override readonly name = 'BadConfig';

  constructor(path: string, where: string, [issue, ...more]: readonly [Issue, ...Issue[]], remedy: string) {
    const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
    super('bad-input', `${path}${where}: found ${issue.found}, allowed: ${issue.allowed}${others}`, {
      facts: { path, ...issue, ...(more.length === 0 ? {} : { issues: [issue, ...more] }) },
      remedy,
    });
  }
}

/** The nearest settings at or above a folder; null where there are none. */
export function findConfig(cwd: string): Config | null {
  for (const folder of upward(cwd)) {
    const found = configIn(folder);
    if (found !== null) return found;
  }
  return null;
}

/** The settings in a folder; null where there are none. */
export function configIn(folder: string): Config | null {
  const path = join(folder, configName);
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readConfig(path) : null;
}

/** The models of a project by name; none where it has no settings. */
export function modelsIn(config: Config | null): ReadonlyMap<string, ModelEntry> {
  return modelEntriesOf(config?.models ?? {});
}

/** What may be written into them. */
export interface Settings {
  readonly ledger?: string | { readonly decisions: string; readonly evidence: string };
  readonly blobs?: string;
}

/** What else is settled there stays, as it stands. */
export function writeConfig(path: string, settings: Settings): void {
  const present = configIn(dirname(path)) === null ? {} : (parsed(path) as object);
  writeFileSync(path, `${JSON.stringify({ ...present, ...settings }, null, 2)}\n`);
}

function readConfig(path: string): Config {
  const found = parsed(path);
  if (typeof found !== 'object' || found === null || Array.isArray(found)) {
    const issue = { field: '', found: Array.isArray(found) ? 'a list' : String(found), allowed: 'an object' };
    throw new BadConfig(path, '', [issue], example);
  }
  for (const key of Object.keys(found)) if (!settings.includes(key)) throw unknownSetting(path, key);
  const settled = found as Readonly<Record<string, unknown>>;
  const ledger = ledgerIn(path, settled['ledger']);
  if (settled['blobs'] !== undefined && !isText(settled['blobs'])) throw badUrl(path, 'blobs', settled['blobs']);
  checkModels(path, settled['models']);
  return { path, ...found, ...(ledger === undefined ? {} : { ledger }) };
}

/** One URL, or two that together are that of a split ledger. */
function ledgerIn(path: string, value: unknown): string | undefined {
  if (value === undefined || isText(value)) return value;
  if (typeof value !== 'object' || value === null) throw badUrl(path, 'ledger', value);
  const { decisions, evidence, ...others } = value as Readonly<Record<string, unknown>>;
  if (!isText(decisions) || !isText(evidence) || Object.keys(others).length > 0) throw badUrl(path, 'ledger', value);
  return `split:${decisions}+${evidence}`;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function badUrl(path: string, field: keyof typeof allowed, value: unknown): BadConfig {
  const issue = { field, found: JSON.stringify(value), allowed: allowed[field] };
  return new BadConfig(path, `, ${field}`, [issue], example);
}

function checkModels(path: string, models: unknown): void {
  if (models === undefined) return;
  try {
    modelEntriesOf(models);
  } catch (fault) {
    if (!(fault instanceof BadModels)) throw fault;
    const issues = fault.issues as readonly [Issue, ...Issue[]];
    throw new BadConfig(path, `, ${issues[0].field}`, issues, fault.remedy);
  }
}

const example = 'For example: {"ledger": "sqlite:.icecore/ledger.db"}';

function parsed(path: string): unknown {
  const text = readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  try {
    return parseJson(text);
  } catch {
    const fault = findJsonFault(text);
    const issue = { field: '', found: fault.found, allowed: fault.allowed };
    throw new BadConfig(path, `, line ${fault.line}, column ${fault.column}`, [issue], 'Correct the JSON there.');
  }
}

function unknownSetting(path: string, key: string): BadConfig {
  const near = nearest(key, settings);
  const issue = { field: key, found: `the setting "${key}"`, allowed: settings.join(', ') };
  return new BadConfig(path, '', [issue], near === null ? 'Remove it.' : `Did you mean "${near}"?`);
}

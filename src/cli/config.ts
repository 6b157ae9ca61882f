// The settings of a project: icecore.config.json, in the folder icecore is called in or above it. Only what it knows may
// stand there, because a misspelt setting is one that silently does nothing.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { IcecoreError, type Issue } from '../../schemas/errors.ts';
import { nearest } from '../../schemas/nearest.ts';
import { findJsonFault } from '../producers/intake/json-fault.ts';
import { upward } from './upward.ts';

export const configName = 'icecore.config.json';

export interface Config {
  readonly path: string;
  readonly ledger?: string;
  readonly blobs?: string;
}

/** What each must be. */
const settings = { ledger: 'the URL of a ledger', blobs: 'the URL of a blob store' } as const;

type Setting = keyof typeof settings;

export class BadConfig extends IcecoreError {
  override readonly name = 'BadConfig';

  constructor(path: string, where: string, issue: Issue, remedy: string) {
    super('bad-input', `${path}${where}: found ${issue.found}, allowed: ${issue.allowed}`, {
      facts: { path, ...issue },
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

/** What else is settled there stays. */
export function writeConfig(path: string, ledger: string): void {
  const { path: _, ...present } = configIn(dirname(path)) ?? { path };
  writeFileSync(path, `${JSON.stringify({ ...present, ledger }, null, 2)}\n`);
}

function readConfig(path: string): Config {
  const found = parse(path, readFileSync(path, 'utf8').replace(/^\ufeff/, ''));
  if (typeof found !== 'object' || found === null || Array.isArray(found)) {
    const issue = { field: '', found: Array.isArray(found) ? 'a list' : String(found), allowed: 'an object' };
    throw new BadConfig(path, '', issue, example);
  }
  for (const key of Object.keys(found)) if (!(key in settings)) throw unknownSetting(path, key);
  for (const [key, value] of Object.entries(found)) {
    if (typeof value === 'string' && value !== '') continue;
    const issue = { field: key, found: JSON.stringify(value), allowed: settings[key as Setting] };
    throw new BadConfig(path, `, ${key}`, issue, example);
  }
  return { path, ...found };
}

const example = 'For example: {"ledger": "sqlite:.icecore/ledger.db"}';

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const fault = findJsonFault(text);
    const issue = { field: '', found: fault.found, allowed: fault.allowed };
    throw new BadConfig(path, `, line ${fault.line}, column ${fault.column}`, issue, 'Correct the JSON there.');
  }
}

function unknownSetting(path: string, key: string): BadConfig {
  const near = nearest(key, Object.keys(settings));
  const issue = { field: key, found: `the setting "${key}"`, allowed: Object.keys(settings).join(', ') };
  return new BadConfig(path, '', issue, near === null ? 'Remove it.' : `Did you mean "${near}"?`);
}

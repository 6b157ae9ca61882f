// The settings of a project: icecore.config.json, in the folder icecore is called in or above it. Only what it knows may
// stand there, because a misspelt setting is one that silently does nothing.
import { lstatSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { IcecoreError, type Issue } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import type { ModelEntries } from '../../../schemas/models.ts';
import { nearest } from '../../../schemas/nearest.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { BadModels, type ModelEntry, modelEntriesOf } from '../../lab/models/entries.ts';
import { absolute, parseLedgerUrl } from '../../ledger/stores.ts';
import { findJsonFault } from '../../producers/intake/json-faults.ts';
import { isTextPlace, type TextPlace } from '../../producers/intake/text-keeping.ts';
import { Consents, digestOf } from '../consent/consents.ts';
import { consentToConfig, type FoundConfig, Gate } from '../consent/gate.ts';
import {
  currentUser,
  foreignOwner,
  orUnreadable,
  pathRequest,
  type Request,
  requestsOfBlobs,
  requestsOfLedger,
  requestsOfModel,
} from '../consent/requests.ts';
import type { Surroundings } from '../session.ts';
import { upward } from './workspace-folder.ts';

export const configName = 'icecore.config.json';

/** Settings are short; a larger file is none. */
const maxBytes = 1 << 20;

export interface Config extends FoundConfig {
  readonly ledger?: string;
  readonly blobs?: string;
  readonly texts?: TextPlace;
  /** As they stand in the file, and in order. */
  readonly models?: ModelEntries;
}

/** What each must be. */
const allowed = {
  ledger: 'the URL of a ledger, or {"decisions": URL, "evidence": URL}',
  blobs: 'the URL of a blob store',
  texts: '"inline" (texts stand in their events) or "blobs" (they can be erased later)',
} as const;
const settings: readonly string[] = [...Object.keys(allowed), 'models'];

class BadConfig extends IcecoreError {
  override readonly name = 'BadConfig';

  constructor(path: string, where: string, [issue, ...more]: readonly [Issue, ...Issue[]], remedy: string) {
    const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
    super('bad-input', `${path}${where}: found ${issue.found}, allowed: ${issue.allowed}${others}`, {
      facts: { path, ...issue, ...(more.length === 0 ? {} : { issues: [issue, ...more] }) },
      remedy,
    });
  }
}

/** The nearest settings at or above a folder; null where there are none. Throws Untrusted where they may be another user's. */
export function findConfig(surroundings: Surroundings): Config | null {
  for (const folder of upward(surroundings.cwd)) {
    const found = configIn(folder, surroundings.env);
    if (found === null) continue;
    new Gate(surroundings).requireOwner(found, () => requestsOf(found, surroundings.env));
    return found;
  }
  return null;
}

/** The settings in a folder, whoever wrote them: to be looked at and not to be followed. Null where there are none. */
export function configIn(folder: string, env: Surroundings['env']): Config | null {
  const path = join(folder, configName);
  return lstatSync(path, { throwIfNoEntry: false }) === undefined ? null : readConfig(path, env);
}

/** All that following these settings would connect to, send, or touch outside of their folder. */
export function requestsOf(config: Config, env: Surroundings['env']): readonly Request[] {
  const { folder, ledger, blobs } = config;
  const ofLedger = (url: string) => requestsOfLedger(absolute(parseLedgerUrl(url), folder), folder);
  const ofBlobs = (url: string) => requestsOfBlobs(absoluteBlobs(url, folder), folder, env);
  return [
    ...(ledger === undefined ? [] : orUnreadable('ledger', () => ofLedger(ledger))),
    ...(blobs === undefined ? [] : orUnreadable('blobs', () => ofBlobs(blobs))),
    ...Array.from(modelsIn(config).values()).flatMap(requestsOfModel),
  ];
}

/** A relative folder is meant from the folder of whoever wrote it. */
export function absoluteBlobs(url: string, folder: string): string {
  const scheme = 'folder:';
  return url.startsWith(scheme) ? `${scheme}${resolve(folder, url.slice(scheme.length))}` : url;
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

/**
 * What else is settled there stays, as it stands. What this user had allowed of the file stays allowed, with what is added:
 * nobody else changed it. A file that somebody else wrote is not allowed by adding to it.
 */
export function writeConfig(path: string, settings: Settings, surroundings: Surroundings): void {
  const present = configIn(dirname(path), surroundings.env);
  const before = present === null ? [] : allowedBefore(present, surroundings);
  const known = present === null ? {} : (parsed(path, readRegularFile(path, maxBytes)) as object);
  // Written beside and renamed: where the name is a symbolic link, the link is replaced and what it leads to stays.
  const part = `${path}.${process.pid}.part`;
  const text = `${JSON.stringify({ ...known, ...settings }, null, 2)}\n`;
  writeFileSync(part, text, { flag: 'wx' });
  renameSync(part, path);
  const written = configIn(dirname(path), surroundings.env);
  if (before !== null && written?.digest === digestOf(text)) allowOwn(written, settings, before, surroundings);
}

/** Null where this user has allowed nothing of the file. */
function allowedBefore({ realPath, digest }: Config, { env }: Surroundings): readonly string[] | null {
  const found = new Consents(env).find({ kind: 'config', path: realPath, digest, requests: [] });
  return found?.kind === 'config' ? found.requests : null;
}

/** Where the user's own settings cannot be written, as in a container without a home, a command asks again. */
function allowOwn(written: Config, added: Settings, before: readonly string[], { env }: Surroundings): void {
  const all = requestsOf(written, env);
  const own = all.filter(({ setting }) => Object.keys(added).includes(setting));
  const consent = consentToConfig(written, own);
  try {
    new Consents(env).give({ ...consent, requests: [...before, ...consent.requests] });
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === undefined) throw fault;
  }
}

function readConfig(path: string, env: Surroundings['env']): Config {
  const bytes = readRegularFile(path, maxBytes);
  const found = parsed(path, bytes);
  if (typeof found !== 'object' || found === null || Array.isArray(found)) {
    const issue = { field: '', found: Array.isArray(found) ? 'a list' : String(found), allowed: 'an object' };
    throw new BadConfig(path, '', [issue], example);
  }
  for (const key of Object.keys(found)) if (!settings.includes(key)) throw unknownSetting(path, key);
  const settled = found as Readonly<Record<string, unknown>>;
  const ledger = ledgerIn(path, settled['ledger']);
  const blobs = settled['blobs'];
  if (blobs !== undefined && !isText(blobs)) throw badSetting(path, 'blobs', blobs);
  const texts = settled['texts'];
  if (texts !== undefined && !isTextPlace(texts)) throw badSetting(path, 'texts', texts);
  const models = settled['models'];
  checkModels(path, models);
  const [realPath, isLink] = [realpathSync(path), lstatSync(path).isSymbolicLink()];
  return {
    path,
    realPath,
    folder: isLink ? dirname(realPath) : dirname(path),
    digest: digestOf(bytes),
    link: isLink ? (pathRequest('', path, dirname(path))[0]?.path ?? null) : null,
    foreign: foreignOwner(path, currentUser(env)),
    ...(ledger === undefined ? {} : { ledger }),
    ...(blobs === undefined ? {} : { blobs }),
    ...(texts === undefined ? {} : { texts }),
    ...(models === undefined ? {} : { models: models as ModelEntries }),
  };
}

/** One URL, or two that together are that of a split ledger. */
function ledgerIn(path: string, value: unknown): string | undefined {
  if (value === undefined || isText(value)) return value;
  if (typeof value !== 'object' || value === null) throw badSetting(path, 'ledger', value);
  const { decisions, evidence, ...others } = value as Readonly<Record<string, unknown>>;
  if (!isText(decisions) || !isText(evidence) || Object.keys(others).length > 0)
    throw badSetting(path, 'ledger', value);
  return `split:${decisions}+${evidence}`;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function badSetting(path: string, field: keyof typeof allowed, value: unknown): BadConfig {
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

function parsed(path: string, bytes: Buffer): unknown {
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
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

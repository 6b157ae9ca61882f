// The settings of a project: the icecore.config of the nearest folder at or above the current one. JSON is read directly. Code
// runs only for verbs that write and with consent (config-code.ts); verbs that only read use the settings that the same content
// produced when it last ran.
import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { RunDefaults } from '../../../schemas/config.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { type ModelEntry, modelEntriesOf } from '../../lab/models/entries.ts';
import { absolute, parseLedgerUrl } from '../../ledger/stores.ts';
import { digestOf } from '../consent/consents.ts';
import { type FoundConfig, Gate } from '../consent/gate.ts';
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
import { recordedSettings } from './recorded-settings.ts';
import { badField, type PlainSettings, settingsInJson } from './settings-file.ts';
import { upward } from './workspace-folder.ts';

/** The file that icecore itself writes. */
export const jsonConfigName = 'icecore.config.json';

const names = [
  ...['icecore.config.ts', 'icecore.config.mts', 'icecore.config.js', 'icecore.config.mjs'],
  jsonConfigName,
];

/** Settings are short; a larger file is something else. */
export const maxConfigBytes: number = 1 << 20;

export interface Config extends FoundConfig, PlainSettings {
  readonly isCode: boolean;
  /** False for code that has not run with this content; its settings are then unknown. */
  readonly isKnown: boolean;
}

export function isConfigName(name: string): boolean {
  return names.includes(name);
}

/** The nearest settings at or above a folder; null if there are none. Throws Untrusted if they may be another user's. */
export function findConfig(surroundings: Surroundings): Config | null {
  if (surroundings.config === false) return null;
  for (const folder of upward(surroundings.cwd)) {
    const found = configIn(folder, surroundings.env);
    if (found === null) continue;
    new Gate(surroundings).requireOwner(found, () => requestsOf(found, surroundings.env));
    return found;
  }
  return null;
}

/** The settings in a folder, whoever owns them: only to inspect, not to apply. Null if there are none. */
export function configIn(folder: string, env: Surroundings['env']): Config | null {
  const path = configPathIn(folder);
  return path === null ? null : readConfig(path, env);
}

/** Null if there is none. Throws BadConfig if there are several, because that is ambiguous. */
export function configPathIn(folder: string): string | null {
  const [first, second] = names
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  if (first === undefined || second === undefined) return first ?? null;
  const issue = { field: '', found: `${second} next to it`, allowed: 'one settings file in a folder' };
  throw badField(first, issue, 'Merge them into one file and remove the other.');
}

/** Everything that applying these settings would connect to, send, touch outside of their folder, or execute. */
export function requestsOf(config: Config, env: Surroundings['env']): readonly Request[] {
  const { folder, ledger, blobs } = config;
  const ofLedger = (url: string) => requestsOfLedger(absolute(parseLedgerUrl(url), folder), folder);
  const ofBlobs = (url: string) => requestsOfBlobs(absoluteBlobs(url, folder), folder, env);
  return [
    ...(config.isCode ? [codeRequest] : []),
    ...(ledger === undefined ? [] : orUnreadable('ledger', () => ofLedger(ledger))),
    ...(blobs === undefined ? [] : orUnreadable('blobs', () => ofBlobs(blobs))),
    ...Array.from(modelsIn(config).values()).flatMap(requestsOfModel),
  ];
}

export const codeRequest: Request = { kind: 'code', setting: 'code' };

/** A relative folder is relative to the file that names it. */
export function absoluteBlobs(url: string, folder: string): string {
  const scheme = 'folder:';
  return url.startsWith(scheme) ? `${scheme}${resolve(folder, url.slice(scheme.length))}` : url;
}

/** The models of a project by name; none if it has no settings. */
export function modelsIn(config: Config | null): ReadonlyMap<string, ModelEntry> {
  return modelEntriesOf(config?.models ?? {});
}

/** Default settings of new runs, with the file that sets them. */
export interface FoundDefaults {
  readonly path: string;
  readonly settings: RunDefaults;
}

export function defaultsIn(config: Config | null): FoundDefaults | null {
  return config?.defaults === undefined ? null : { path: config.path, settings: config.defaults };
}

function readConfig(path: string, env: Surroundings['env']): Config {
  const bytes = readRegularFile(path, maxConfigBytes);
  const isCode = !path.endsWith('.json');
  const [realPath, isLink] = [realpathSync(path), lstatSync(path).isSymbolicLink()];
  const digest = digestOf(bytes);
  const settings = isCode ? recordedSettings({ realPath, digest }, env) : settingsInJson(path, bytes);
  return {
    path,
    realPath,
    folder: isLink ? dirname(realPath) : dirname(path),
    digest,
    link: isLink ? (pathRequest('', path, dirname(path))[0]?.path ?? null) : null,
    foreign: foreignOwner(path, currentUser(env)),
    isCode,
    isKnown: settings !== null,
    ...settings,
  };
}

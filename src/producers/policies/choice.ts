// What somebody means who names a policy with a word: a rule, a checkpoint in a file, or a model of the project. Nothing is
// opened for it, so that all that was named can be known before any of it begins.
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkpointPlace, type ModelEntry } from '../../lab/models/entries.ts';
import { type ScriptedName, scriptedNames } from '../../lab/policies/scripted.ts';
import { NoCheckpointIn, NoSuchCheckpoint, UnknownPolicy, WrongSnapshot } from './errors.ts';

export type PolicyChoice =
  | { readonly kind: 'rule'; readonly rule: ScriptedName }
  /** The path of a file that is there. */
  | { readonly kind: 'checkpoint'; readonly path: string }
  /** `snapshot` is as its endpoint calls it; null for the model alone. */
  | { readonly kind: 'model'; readonly entry: ModelEntry; readonly snapshot: string | null };

export interface Surroundings {
  /** Where a relative path begins. */
  readonly cwd: string;
  /** The models of the project, by name. */
  readonly entries: ReadonlyMap<string, ModelEntry>;
}

/**
 * Rules come first, then models, then paths: a file that is called like one of them is named ./random. Throws
 * UnknownPolicy, NoSuchCheckpoint, NoCheckpointIn and WrongSnapshot.
 */
export function chosen(word: string, { cwd, entries }: Surroundings): PolicyChoice {
  const rule = scriptedNames.find((name) => name === word);
  if (rule !== undefined) return { kind: 'rule', rule };
  const model = modelNamed(word, entries);
  if (model !== null) return model;
  const path = resolve(cwd, word);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return { kind: 'checkpoint', path: newestIn(path) };
  if (stats !== undefined) return { kind: 'checkpoint', path };
  if (looksLikePath(word)) throw new NoSuchCheckpoint(path);
  throw new UnknownPolicy(word, scriptedNames, [...entries.keys()]);
}

function modelNamed(word: string, entries: Surroundings['entries']): PolicyChoice | null {
  const colon = word.indexOf(':');
  const whole = entries.get(word);
  const entry = whole ?? (colon < 0 ? undefined : entries.get(word.slice(0, colon)));
  if (entry === undefined) return null;
  const snapshot = whole === undefined ? word.slice(colon + 1) : null;
  const hasSnapshots = entry.model.includes(checkpointPlace);
  if (snapshot === null ? hasSnapshots && entry.base === null : !hasSnapshots || snapshot === '') {
    throw new WrongSnapshot(entry.name, entry.model, snapshot === '' ? null : snapshot);
  }
  return { kind: 'model', entry, snapshot };
}

const checkpointFile = /\.safetensors$/;

function looksLikePath(word: string): boolean {
  return /[/\\]/.test(word) || checkpointFile.test(word);
}

/** Checkpoints are numbered by update: the highest number is the newest. */
function newestIn(folder: string): string {
  const names = readdirSync(folder).filter((name) => checkpointFile.test(name));
  const [newest] = names.sort((a, b) => numberIn(b) - numberIn(a) || (a < b ? -1 : 1));
  if (newest === undefined) throw new NoCheckpointIn(folder);
  return join(folder, newest);
}

function numberIn(name: string): number {
  return Number(/([0-9]+)\.safetensors$/.exec(name)?.[1] ?? -1);
}

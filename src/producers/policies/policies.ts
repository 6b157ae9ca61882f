// Policies by name: a rule, a checkpoint file or a model. A name is resolved without opening anything, so that all
// errors of a command are found first.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { IcecoreError, UnknownName } from '../../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../../schemas/nearest.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import { checkpointPlace, type ModelEntry } from '../../lab/models/entries.ts';
import { LanguagePolicy } from '../../lab/policies/language.ts';
import type { Checkpoint, Policy } from '../../lab/policies/policy.ts';
import { type PolicyCheckpoints, type PolicyEntry, type Registry, rulesIn, trainableOn } from '../../lab/registry.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { askedOnce } from '../answers/answers.ts';
import type { Models } from '../models/models.ts';

class UnknownPolicy extends UnknownName {
  override readonly name = 'UnknownPolicy';

  /** `rules` are built in, `models` are those of the project. */
  constructor(word: string, rules: readonly string[], models: readonly string[]) {
    const near = nearestNames(word, [...rules, ...models]);
    const there = models.length === 0 ? 'no models are configured' : `the models are ${models.join(', ')}`;
    super(word, `there is no policy "${word}"`, {
      facts: { policy: word, known: [...rules, ...models], nearest: near },
      remedy: didYouMean(near, `There are ${rules.join(', ')}; ${there}; name a checkpoint by its path.`),
    });
  }
}

/** A path that does not exist. */
class NoSuchCheckpoint extends IcecoreError {
  override readonly name = 'NoSuchCheckpoint';

  constructor(path: string) {
    super('not-found', `${path}: there is no such file or folder`, {
      facts: { path },
      remedy: 'Name a checkpoint, a .safetensors file, or the folder of a training.',
    });
  }
}

/** A folder without checkpoints. */
class NoCheckpointIn extends IcecoreError {
  override readonly name = 'NoCheckpointIn';

  constructor(folder: string) {
    super('not-found', `${folder}: there is no checkpoint in this folder`, {
      facts: { path: folder },
      remedy: 'Name the folder of a training, or a .safetensors file.',
    });
  }
}

/** A file that is not a checkpoint, or one for something else. */
export class BadCheckpoint extends IcecoreError {
  override readonly name = 'BadCheckpoint';
  readonly path: string;
  /** What is wrong with the file. */
  readonly what: string;

  constructor(path: string, { message, facts }: IcecoreError) {
    super('bad-input', `${path}: ${message}`, {
      facts: { path, ...facts },
      remedy:
        'The environment plays only checkpoints that its own policy wrote. For another policy, name an environment that plays it (--environment), or a model of the settings (--policy).',
    });
    this.path = path;
    this.what = message;
  }
}

/** No policy with checkpoints supports the environment. */
class NoPolicyFor extends IcecoreError {
  override readonly name = 'NoPolicyFor';

  constructor(environment: string, path: string) {
    super('unsupported', `${path}: no registered policy with checkpoints supports ${environment}`, {
      facts: { environment, path },
      remedy: 'Register a plugin that has one, or name a model.',
    });
  }
}

/** A checkpoint was named for a model without checkpoints, or none for a model that requires one. */
export class WrongSnapshot extends IcecoreError {
  override readonly name = 'WrongSnapshot';

  constructor(entry: string, model: string, snapshot: string | null) {
    const found = snapshot === null ? 'no checkpoint, and it has no base' : `the checkpoint ${snapshot}`;
    const allowed =
      snapshot === null ? `${entry}:CHECKPOINT` : `${entry} alone, because its name has no ${checkpointPlace}`;
    super('bad-input', `the model ${entry} is named ${model}: found ${found}, allowed: ${allowed}`, {
      facts: { model: entry, called: model, found, allowed },
      remedy:
        snapshot === null
          ? `Name a checkpoint: ${entry}:NAME. Or set the model to use without one in the settings: "base".`
          : `If its checkpoints are served under separate names, set "model": "lora-${checkpointPlace}".`,
    });
  }
}

/**
 * With the kind detected from its bytes. Throws NotRegularFile, and BadCheckpoint if it cannot be used for the purpose.
 */
export async function usableCheckpoint(
  path: string,
  { mostBytes, check }: PolicyCheckpoints,
  use: 'plan' | 'train',
): Promise<Checkpoint> {
  const bytes = readRegularFile(path, mostBytes);
  try {
    await check(bytes, use);
  } catch (fault) {
    if (fault instanceof IcecoreError) throw new BadCheckpoint(path, fault);
    throw fault;
  }
  return { reference: path, digest: sha256(bytes), bytes: bytes.length };
}

type PolicyChoice =
  | { readonly kind: 'rule'; readonly rule: PolicyEntry }
  /** The path of an existing file. */
  | { readonly kind: 'checkpoint'; readonly path: string }
  /** `snapshot` is the checkpoint's name at the endpoint; null for the model alone. */
  | { readonly kind: 'model'; readonly entry: ModelEntry; readonly snapshot: string | null };

export interface Surroundings {
  /** The base of relative paths. */
  readonly cwd: string;
  /** The models of the project, by name. */
  readonly entries: ReadonlyMap<string, ModelEntry>;
  readonly registry: Registry;
}

/**
 * Rules come first, then models, then paths: a file with the same name as one of them is written ./random. Throws
 * UnknownPolicy, NoSuchCheckpoint, NoCheckpointIn and WrongSnapshot.
 */
export function chosen(word: string, { cwd, entries, registry }: Surroundings): PolicyChoice {
  const rules = rulesIn(registry);
  const rule = rules.find(({ name }) => name === word);
  if (rule !== undefined) return { kind: 'rule', rule };
  const model = modelNamed(word, entries);
  if (model !== null) return model;
  const path = resolve(cwd, word);
  if (looksLikePath(word) || existsSync(path)) return { kind: 'checkpoint', path: checkpointPathAt(path) };
  throw new UnknownPolicy(
    word,
    rules.map(({ name }) => name),
    [...entries.keys()],
  );
}

/** The file, or the newest checkpoint in the folder of a training. Throws NoSuchCheckpoint and NoCheckpointIn. */
export function checkpointPathAt(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new NoSuchCheckpoint(path);
  return stats.isDirectory() ? newestIn(path) : path;
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

/** Checkpoints are numbered by update, so the highest number is the newest. */
function newestIn(folder: string): string {
  const names = readdirSync(folder).filter((name) => checkpointFile.test(name));
  const [newest] = names.sort((a, b) => numberIn(b) - numberIn(a) || (a < b ? -1 : 1));
  if (newest === undefined) throw new NoCheckpointIn(folder);
  return join(folder, newest);
}

function numberIn(name: string): number {
  return Number(/([0-9]+)\.safetensors$/.exec(name)?.[1] ?? -1);
}

interface Opening {
  /** The environment that provides the tasks. */
  readonly environment: Pick<Environment, 'descriptor' | 'prompt'>;
  /** The default is the number of CPU cores. */
  readonly threads?: number;
  readonly models: Models;
  readonly registry: Registry;
}

/** Throws BadCheckpoint, and errors of models: BadKey, CostUnknown. */
export async function openPolicy(choice: PolicyChoice, opening: Opening): Promise<Policy> {
  const { environment, models, registry } = opening;
  const threads = opening.threads === undefined ? {} : { threads: opening.threads };
  switch (choice.kind) {
    case 'rule':
      return await choice.rule.open({ checkpoint: null, environment, ...threads });
    case 'checkpoint': {
      const [policy] = trainableOn(registry, environment.descriptor.environment);
      if (policy === undefined) throw new NoPolicyFor(environment.descriptor.environment, choice.path);
      const checkpoint = await usableCheckpoint(choice.path, policy.checkpoints, 'plan');
      return await policy.open({ checkpoint, environment, ...threads });
    }
    case 'model': {
      const { entry, snapshot } = choice;
      const model = askedOnce(models.open(entry.name));
      return new LanguagePolicy({ model, environment, checkpoint: snapshot === null ? null : { reference: snapshot } });
    }
  }
}

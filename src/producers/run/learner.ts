// Who is trained in a run: the network that is built in, a model that is served, or whoever an environment lets play.
import { existsSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import { checkedLake } from '../../lab/lake/configuration.ts';
import { checkpointPlace, type ModelEntry } from '../../lab/models/entries.ts';
import type { Model } from '../../lab/models/model.ts';
import { LanguagePolicy } from '../../lab/policies/language.ts';
import { neuralComponent, openNeural } from '../../lab/policies/neural/neural.ts';
import { openPlaying } from '../../lab/policies/playing.ts';
import type { Checkpoint, Policy, PolicyComponent } from '../../lab/policies/policy.ts';
import { withoutHyperparameters } from '../../lab/trainers/knobs.ts';
import { askedOnce } from '../answers/asked-once.ts';
import type { Models } from '../models/models.ts';
import { WrongSnapshot } from '../policies/errors.ts';
import { isPolicyPath } from '../programs.ts';
import { baseCheckpoint, ownCheckpoint } from '../trainers/start.ts';
import { CheckpointOutside } from './errors.ts';

export interface Learner {
  readonly component: PolicyComponent;
  /** What training starts from in the first stage, made in this folder where it has to be; null: from nothing. */
  beginning(folder: string): Promise<Checkpoint | null>;
  /** A snapshot that was not trained; null where the policy without one is that. */
  base(folder: string): Promise<Checkpoint | null>;
  /** Opened for a snapshot that can be read from here; whoever asks closes it. */
  policyOf(checkpoint: Checkpoint | null): Promise<Policy>;
  /** The model that it is; null where it is none. Its snapshots are served by their names, and are no files here. */
  readonly model: Model | null;
  /** The network of icecore: its snapshots are files, and never names. */
  readonly isBuiltIn: boolean;
}

export interface Learning {
  readonly word: string;
  readonly environment: Environment;
  /** A program may say that it is the lake, and so may whoever recorded what one said. */
  readonly isProgram: boolean;
  readonly entries: ReadonlyMap<string, ModelEntry>;
  readonly models: Models;
  readonly threads: number;
  /** Where a relative path begins. */
  readonly cwd: string;
  readonly seed: string;
}

const builtInFor = 'lake';

/** Throws NotAnybodysPolicy, WrongSnapshot, what opening a model does, and NoSuchCheckpoint where a path leads nowhere. */
export async function openLearner(learning: Learning): Promise<Learner> {
  const { word, environment, entries } = learning;
  const isLake = environment.descriptor.environment === builtInFor;
  const entry = entries.get(word);
  // A model of the project that has the name of a built-in policy does not replace it.
  if (entry !== undefined && !(isLake && isBuiltInName(word))) return spoken(learning, entry);
  if (isLake) return await built(learning);
  if (environment.rollout !== undefined) return played(learning);
  throw new NotAnybodysPolicy(word, environment.descriptor.environment, [...entries.keys()]);
}

/** From nothing, from the base snapshot, or from a checkpoint by its path. */
async function built({ word, environment, isProgram, entries, threads, cwd, seed }: Learning): Promise<Learner> {
  const isOwn = isBuiltInName(word);
  // Only what is asked about as a file is read as one.
  const isPath = isProgram ? isPolicyPath(word) : existsSync(resolve(cwd, word)) || /[/\\.]/.test(word);
  if (!isOwn && !isPath) throw new UnknownLearner(word, [...entries.keys()]);
  const own = isOwn ? null : await ownCheckpoint(word, cwd);
  const base = async (folder: string): Promise<Checkpoint> => {
    mkdirSync(folder, { recursive: true });
    return await baseCheckpoint(checkedLake(withoutHyperparameters(environment.start)), seed, folder);
  };
  return {
    component: { name: neuralComponent, version: '1', parameters: { from: word } },
    beginning: async (folder) => {
      if (word === neuralComponent) return null;
      return own ?? (await base(folder));
    },
    base,
    policyOf: async (checkpoint) => {
      if (checkpoint === null) throw new Error('a network that was never trained has nothing to plan with');
      // Every checkpoint file has a digest: what has none is a name, or a path that somebody wrote into a ledger.
      if (checkpoint.digest === undefined) throw new CheckpointOutside(checkpoint);
      return await openNeural(checkpoint, { threads });
    },
    model: null,
    isBuiltIn: true,
  };
}

function isBuiltInName(word: string): boolean {
  return word === neuralComponent || word === 'base';
}

function spoken({ environment, models }: Learning, entry: ModelEntry): Learner {
  if (!entry.model.includes(checkpointPlace)) throw new WrongSnapshot(entry.name, entry.model, null);
  const model = askedOnce(models.open(entry.name));
  const policyOf = async (checkpoint: Checkpoint | null): Promise<Policy> =>
    new LanguagePolicy({ model, environment, checkpoint });
  return {
    component: new LanguagePolicy({ model, environment, checkpoint: null }).component,
    beginning: async () => null,
    base: async () => null,
    policyOf,
    model,
    isBuiltIn: false,
  };
}

function played({ word, environment }: Learning): Learner {
  return {
    component: { name: word },
    beginning: async () => null,
    base: async () => null,
    policyOf: async (checkpoint) => openPlaying({ environment, name: word, checkpoint }),
    model: null,
    isBuiltIn: false,
  };
}

export class NotAnybodysPolicy extends IcecoreError {
  override readonly name = 'NotAnybodysPolicy';

  constructor(policy: string, environment: string, models: readonly string[]) {
    const there = models.length === 0 ? 'icecore.config.json names none' : `there are ${models.join(', ')}`;
    super('unsupported', `nobody called ${policy} can play ${environment}`, {
      facts: { policy, environment, models },
      remedy: `Name a model of the project (${there}), or have the environment let a policy play: see rollout in docs/environments.md.`,
    });
  }
}

export class UnknownLearner extends IcecoreError {
  override readonly name = 'UnknownLearner';

  constructor(policy: string, models: readonly string[]) {
    const known = [neuralComponent, 'base', ...models];
    const near = nearestNames(policy, known);
    super('not-found', `there is no policy "${policy}" that could be trained`, {
      facts: { policy, known, nearest: near },
      remedy:
        near.length > 0
          ? `Did you mean ${near.join(' or ')}?`
          : `There are ${known.join(', ')}; a checkpoint is named by its path.`,
    });
  }
}

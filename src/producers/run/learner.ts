// The policy that a run trains: the built-in network, a served model, or one that the environment runs; and its
// checkpoints. A checkpoint file goes to the blob store before any event names it, and no other file is read for a
// ledger.

import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, lstatSync, mkdirSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { IcecoreError, UnknownName } from '../../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../../schemas/nearest.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import { checkpointPlace, exampleOf, howToConfigure, isKnownModel, type ModelEntry } from '../../lab/models/entries.ts';
import type { Model } from '../../lab/models/model.ts';
import { LanguagePolicy } from '../../lab/policies/language.ts';
import { openPlaying } from '../../lab/policies/playing.ts';
import type { Checkpoint, Policy, PolicyComponent } from '../../lab/policies/policy.ts';
import { type Registry, trainableOn } from '../../lab/registry.ts';
import { withoutHyperparameters } from '../../lab/trainers/knobs.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { askedOnce } from '../answers/answers.ts';
import type { Models } from '../models/models.ts';
import { WrongSnapshot } from '../policies/policies.ts';
import { isPolicyPath } from '../programs.ts';
import { baseCheckpoint, ownCheckpoint } from '../trainers/trainers.ts';

class CheckpointOutside extends IcecoreError {
  override readonly name = 'CheckpointOutside';

  constructor({ reference, digest }: Checkpoint) {
    super(
      'untrusted',
      `the ledger names the file ${reference} as a checkpoint, but checkpoints of a ledger must be in its blobs`,
      {
        facts: { path: reference, digest },
        remedy: 'No other files are read for a ledger. Start a new run with --policy FILE.',
      },
    );
  }
}

export interface Learner {
  readonly component: PolicyComponent;
  /** The initial checkpoint of the first stage, created in this folder if needed; null to start from scratch. */
  beginning(folder: string): Promise<Checkpoint | null>;
  /** An untrained checkpoint; null if the policy without a checkpoint is untrained. */
  base(folder: string): Promise<Checkpoint | null>;
  /** Opens the policy for a readable checkpoint; the caller closes it. */
  policyOf(checkpoint: Checkpoint | null): Promise<Policy>;
  /** The model, if the policy is one. Its checkpoints are served by name and are not local files. */
  readonly model: Model | null;
  /** Whether the policy is registered: its checkpoints are files, never names. */
  readonly isRegistered: boolean;
}

interface Learning {
  readonly word: string;
  readonly environment: Environment;
  /** An external program, or a run recorded by one, may claim the name of a registered environment. */
  readonly isProgram: boolean;
  readonly entries: ReadonlyMap<string, ModelEntry>;
  readonly models: Models;
  readonly registry: Registry;
  readonly threads: number;
  /** The base of relative paths. */
  readonly cwd: string;
  readonly seed: string;
}

/**
 * Throws UnsupportedPolicy, WrongSnapshot, errors of opening a model, and NoSuchCheckpoint if a path does not exist.
 */
export async function openLearner(learning: Learning): Promise<Learner> {
  const { word, environment, entries, registry } = learning;
  const registered = trainableOn(registry, environment.descriptor.environment);
  const entry = entries.get(word);
  // A model with the name of a registered policy does not replace it.
  const isOwnName = registered.some(({ name }) => name === word) || (word === base && registered.length > 0);
  if (entry !== undefined && !isOwnName) return spoken(learning, entry);
  const [first] = registered;
  const policy = registered.find(({ name }) => name === word) ?? first;
  if (policy !== undefined) return await trainable(learning, policy);
  if (environment.rollout !== undefined) return played(learning);
  throw new UnsupportedPolicy(word, environment.descriptor.environment, [...entries.keys()]);
}

/** The name of the pretrained start policy. */
const base = 'base';

/** From scratch, from the base checkpoint, or from a checkpoint by its path. */
async function trainable(learning: Learning, policy: ReturnType<typeof trainableOn>[number]): Promise<Learner> {
  const { word, environment, isProgram, entries, threads, cwd, seed } = learning;
  const { name, checkpoints } = policy;
  const words = checkpoints.base === undefined ? [name] : [name, base];
  const isOwn = words.includes(word);
  // Only words that look like a path are read as files.
  const isPath = isProgram ? isPolicyPath(word) : existsSync(resolve(cwd, word)) || /[/\\.]/.test(word);
  if (!isOwn && !isPath) throw new UnknownLearner(word, [...words, ...entries.keys()]);
  const own = isOwn ? null : await ownCheckpoint(word, cwd, checkpoints);
  const baseIn = async (folder: string): Promise<Checkpoint | null> => {
    mkdirSync(folder, { recursive: true });
    return await baseCheckpoint(checkpoints, {
      configuration: withoutHyperparameters(environment.start),
      seed,
      folder,
    });
  };
  return {
    component: { name, version: '1', parameters: { from: word } },
    beginning: async (folder) => {
      if (word === name) return null;
      return own ?? (await baseIn(folder));
    },
    base: baseIn,
    policyOf: async (checkpoint) => {
      if (checkpoint === null) throw new Error('an untrained policy has no checkpoint');
      // Every checkpoint file has a digest: anything without one is a name, or a path that someone wrote into a ledger.
      if (checkpoint.digest === undefined) throw new CheckpointOutside(checkpoint);
      return await policy.open({ checkpoint, environment, threads });
    },
    model: null,
    isRegistered: true,
  };
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
    isRegistered: false,
  };
}

function played({ word, environment }: Learning): Learner {
  return {
    component: { name: word },
    beginning: async () => null,
    base: async () => null,
    policyOf: async (checkpoint) => openPlaying({ environment, name: word, checkpoint }),
    model: null,
    isRegistered: false,
  };
}

class UnsupportedPolicy extends IcecoreError {
  override readonly name = 'UnsupportedPolicy';

  constructor(policy: string, environment: string, models: readonly string[]) {
    const there = models.length === 0 ? 'none is configured' : `there are ${models.join(', ')}`;
    super(
      'unsupported',
      `the environment ${environment} cannot play the policy "${policy}": it does not answer rollout`,
      {
        facts: { policy, environment, models },
        remedy: `Let the environment play it: answer rollout and list it in "understands", as the program in docs/environments.md does. Or name a model of the settings (${there}).`,
      },
    );
  }
}

class UnknownLearner extends UnknownName {
  override readonly name = 'UnknownLearner';

  constructor(policy: string, known: readonly string[]) {
    const near = nearestNames(policy, known);
    const isModel = near.length === 0 && isKnownModel(policy);
    super(policy, isModel ? `the model "${policy}" is not configured` : `there is no policy "${policy}"`, {
      facts: { policy, known, nearest: near, ...(isModel ? { excerpt: exampleOf(policy) } : {}) },
      remedy: didYouMean(
        near,
        isModel ? howToConfigure(policy) : `There are ${known.join(', ')}. Name a checkpoint by its path.`,
      ),
    });
  }
}

/** As events name it: a file by its content. */
export async function recordedCheckpoint(
  checkpoint: Checkpoint,
  stage: number | null,
  blobs: () => Promise<Blobs>,
): Promise<Checkpoint> {
  const of = stage === null ? {} : { stage };
  const { reference, digest } = checkpoint;
  if (digest === undefined || !existsSync(reference)) return { ...checkpoint, ...of };
  const blob = await (await blobs()).put(createReadStream(reference));
  return { ...checkpoint, reference: blob.digest, digest: blob.digest, bytes: blob.bytes, ...of };
}

interface Fetching {
  /** Where files are put. */
  readonly folder: string;
  readonly blobs: () => Promise<Blobs>;
  readonly blobsOnly: boolean;
}

/**
 * The same checkpoint as a readable file in this folder. A recorded checkpoint is in the blobs; a recorded path to
 * another local file was not written by icecore and must not be read or stored. With `blobsOnly`, names are refused
 * too, because the recipient would read a name as a path. Throws BlobMissing if the blob is gone, and
 * CheckpointOutside.
 */
export async function readableCheckpoint(
  checkpoint: Checkpoint | null,
  { folder, blobs, blobsOnly }: Fetching,
): Promise<Checkpoint | null> {
  if (checkpoint === null) return null;
  if (checkpoint.reference !== checkpoint.digest) {
    const isFile = checkpoint.digest !== undefined && existsSync(checkpoint.reference);
    if (blobsOnly || isFile) throw new CheckpointOutside(checkpoint);
    return checkpoint;
  }
  const path = join(folder, checkpoint.digest);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true) {
    // The folder came with the ledger: a link in it could lead to any file. What another caller fetched meanwhile stays.
    if (found !== undefined) await rm(path, { force: true, recursive: true });
    await mkdir(folder, { recursive: true });
    // Several callers may fetch it at once, even in this process.
    const part = `${path}.${randomUUID()}.part`;
    await pipeline((await blobs()).read(checkpoint.digest), createWriteStream(part));
    await rename(part, path);
  }
  return { ...checkpoint, reference: path };
}

/** For the policy itself: a served model gets the checkpoint's name, any other policy gets a file. */
export async function checkpointForPolicy(
  checkpoint: Checkpoint | null,
  { model, isRegistered }: Pick<Learner, 'model' | 'isRegistered'>,
  place: Omit<Fetching, 'blobsOnly'>,
): Promise<Checkpoint | null> {
  return model === null ? await readableCheckpoint(checkpoint, { ...place, blobsOnly: isRegistered }) : checkpoint;
}

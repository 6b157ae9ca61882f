// What can go wrong between the word somebody types and a policy.
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import { checkpointPlace } from '../../lab/models/entries.ts';

export class UnknownPolicy extends IcecoreError {
  override readonly name = 'UnknownPolicy';

  /** `rules` are always there, `models` are those of the project. */
  constructor(word: string, rules: readonly string[], models: readonly string[]) {
    const near = nearestNames(word, [...rules, ...models]);
    const there = models.length === 0 ? 'icecore.config.json names no models' : `models are ${models.join(', ')}`;
    super('not-found', `there is no policy "${word}"`, {
      facts: { policy: word, known: [...rules, ...models], nearest: near },
      remedy:
        near.length > 0
          ? `Did you mean ${near.join(' or ')}?`
          : `There are ${rules.join(', ')}; ${there}; a checkpoint is named by its path.`,
    });
  }
}

/** A path where nothing is. */
export class NoSuchCheckpoint extends IcecoreError {
  override readonly name = 'NoSuchCheckpoint';

  constructor(path: string) {
    super('not-found', `${path}: there is no such file or folder`, {
      facts: { path },
      remedy: 'Name a checkpoint, a .safetensors file, or the folder of a training.',
    });
  }
}

/** A folder that no training has left anything in. */
export class NoCheckpointIn extends IcecoreError {
  override readonly name = 'NoCheckpointIn';

  constructor(folder: string) {
    super('not-found', `${folder}: there is no checkpoint in this folder`, {
      facts: { path: folder },
      remedy: 'Name the folder of a training, or a .safetensors file.',
    });
  }
}

/** A file that is no checkpoint, or one of something else. */
export class BadCheckpoint extends IcecoreError {
  override readonly name = 'BadCheckpoint';

  constructor(path: string, { message, facts }: IcecoreError) {
    super('bad-input', `${path}: ${message}`, {
      facts: { path, ...facts },
      remedy:
        'Name a checkpoint of the policy that is built in. A language model is named as icecore.config.json does.',
    });
  }
}

/** A model that has no snapshots was asked for one, or one that has only snapshots for none. */
export class WrongSnapshot extends IcecoreError {
  override readonly name = 'WrongSnapshot';

  constructor(entry: string, model: string, snapshot: string | null) {
    const found = snapshot === null ? 'no checkpoint, and it has no base' : `the checkpoint ${snapshot}`;
    const allowed =
      snapshot === null ? `${entry}:CHECKPOINT` : `${entry} alone, for there is no ${checkpointPlace} in it`;
    super('bad-input', `the model ${entry} is called ${model}: found ${found}, allowed: ${allowed}`, {
      facts: { model: entry, called: model, found, allowed },
      remedy:
        snapshot === null
          ? `Name a checkpoint: ${entry}:NAME. Or say in icecore.config.json what to ask without one: "base".`
          : `Where its snapshots are served under names of their own: "model": "lora-${checkpointPlace}".`,
    });
  }
}

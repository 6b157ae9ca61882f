// Checkpoints of one training in its folder: written whole or not at all, and found again after a stop.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Checkpoint } from '../../policies/policy.ts';
import { digestOf, fileOf, type State, stateOf } from './state.ts';

const pattern = /^update-([0-9]+)\.safetensors$/;

export class Kept {
  readonly #folder: string;
  readonly #training: string;

  constructor(folder: string, training: string) {
    this.#folder = folder;
    this.#training = training;
  }

  /** Throws what reading and decoding do: no such file, NotSafetensors, WrongCheckpoint. */
  static async read({ reference }: Checkpoint, folder: string): Promise<State> {
    return stateOf(await readFile(isAbsolute(reference) ? reference : join(folder, reference)));
  }

  /** Where this training was stopped; null where it was not begun. */
  async latest(): Promise<State | null> {
    await mkdir(this.#folder, { recursive: true });
    const names = (await readdir(this.#folder)).filter((name) => pattern.test(name));
    const newestFirst = names.sort((a, b) => updateOf(b) - updateOf(a));
    for (const name of newestFirst) {
      const state = stateOf(await readFile(join(this.#folder, name)));
      if (state.training === this.#training) return state;
    }
    return null;
  }

  async save(state: State): Promise<Checkpoint> {
    const file = fileOf(state, this.#training);
    const path = join(this.#folder, `update-${state.update}.safetensors`);
    const part = `${path}.part`;
    await writeFile(part, file, { flush: true });
    await rename(part, path);
    await this.#clear(state.update);
    return { reference: path, digest: digestOf(file), bytes: file.length, step: state.update };
  }

  /** Only the newest is gone on from. */
  async #clear(newest: number): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      if (pattern.test(name) && updateOf(name) < newest) await rm(join(this.#folder, name));
    }
  }
}

function updateOf(name: string): number {
  return Number(pattern.exec(name)?.[1] ?? -1);
}

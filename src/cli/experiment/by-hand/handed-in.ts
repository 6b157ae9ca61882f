// What came of a training that something else did, as it is handed in: a checkpoint that is looked at first, and what the
// trainer told on the way.
import { existsSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { RunSettings } from '../../../../schemas/run-file.ts';
import { realPathOf } from '../../../base/real-path.ts';
import { neuralComponent } from '../../../lab/policies/neural/neural.ts';
import type { Checkpoint } from '../../../lab/policies/policy.ts';
import { Misspoken, type Snapshot, savedFrom } from '../../../lab/trainers/command/messages.ts';
import type { Budget, Signal, Trained } from '../../../lab/trainers/trainer.ts';
import { type Told, toldIn, toldNothing } from '../../../producers/by-hand/told.ts';
import { anyCheckpoint, ownCheckpoint } from '../../../producers/trainers/start.ts';
import type { Context } from '../../context.ts';
import { misused } from '../../values.ts';

export interface HandedOptions {
  readonly checkpoint?: string;
  readonly curve?: string;
  readonly spent?: Budget;
  readonly signal?: readonly Signal[];
}

export interface At {
  /** Where the training was to leave what it leaves. */
  readonly folder: string;
  /** Of the environment; null where they do not matter. */
  readonly families: readonly string[] | null;
  /** Who is trained. */
  readonly policy: string | undefined;
}

export function handsIn({ checkpoint, curve, spent, signal }: HandedOptions): boolean {
  return [checkpoint, curve, spent, signal].some((option) => option !== undefined);
}

/** What is typed beats what the trainer told. */
export async function handedIn(
  context: Context,
  options: HandedOptions,
  { name }: RunSettings,
  at: At,
): Promise<Trained> {
  const { cwd } = context.io;
  const { left, ...told } = options.curve === undefined ? toldNothing : await toldIn(options.curve, cwd);
  const { spent = told.spent, signal = told.signal } = options;
  for (const { family } of options.signal ?? []) requireFamily(family, at);
  const step = told.curve.at(-1)?.step;
  const found =
    options.checkpoint === undefined
      ? await saidToBe(left, at, step ?? 0, name)
      : await named(context, options.checkpoint, at);
  const checkpoint = step === undefined || found.step !== undefined ? found : { ...found, step };
  return { ...told, spent, signal, checkpoint };
}

function requireFamily(family: string | null, { families }: At): void {
  if (family === null || families === null || families.includes(family)) return;
  throw misused('--signal', family, `the families ${families.join(', ')}`, { known: families });
}

async function named({ io, say }: Context, word: string, { policy }: At): Promise<Checkpoint> {
  if (policy === neuralComponent) return await ownCheckpoint(word, io.cwd);
  const checkpoint = await anyCheckpoint(word, io.cwd);
  const isName = checkpoint.digest === undefined && checkpoint.reference === word;
  if (isName && /[/\\]/.test(word) && !word.includes('://')) {
    await say(`there is no file or folder ${resolve(io.cwd, word)}: ${word} is taken for a name that a server knows`);
  }
  return checkpoint;
}

async function saidToBe(left: Told['left'], { folder, policy }: At, step: number, run: string): Promise<Checkpoint> {
  if (left === null) {
    throw new IcecoreError('usage', `nothing says what the training of ${run} left`, {
      facts: { field: '--checkpoint' },
      remedy: 'Name it with --checkpoint: a file, a folder, or a name that a server knows.',
    });
  }
  const isNeural = policy === neuralComponent;
  const path = pathIn(left, isNeural);
  if (path !== null) requireInside(path, folder);
  try {
    const { checkpoint } = await savedFrom(left, folder, step);
    if (!isNeural) return checkpoint;
    const own = await ownCheckpoint(checkpoint.reference, folder);
    requireInside(own.reference, folder);
    return own;
  } catch (fault) {
    if (!(fault instanceof Misspoken)) throw fault;
    throw new IcecoreError('bad-input', `--curve: the checkpoint that is told of there: ${fault.message}`, {
      facts: { field: '--curve', left },
      remedy: 'Name the one that is meant with --checkpoint.',
      cause: fault,
    });
  }
}

/** The file that it would be read from; null for a name that a server knows. What has a digest is read where it is a file. */
function pathIn(left: Snapshot, isNeural: boolean): string | null {
  if ('file' in left) return left.file;
  if (left.digest !== undefined && existsSync(left.reference)) return resolve(left.reference);
  return isNeural ? left.reference : null;
}

/**
 * What is left in the folder of the stage is a checkpoint; whoever wrote the lines could name any other file of the user's,
 * which would become a blob. Throws where the real path is elsewhere.
 */
function requireInside(path: string, folder: string): void {
  const [real, inside] = [realPathOf(resolve(folder, path)), realPathOf(folder)];
  if (real.startsWith(`${inside}${sep}`)) return;
  throw new IcecoreError('bad-input', `--curve: the checkpoint that it names, ${real}, is not in ${inside}`, {
    facts: { field: '--curve', found: real, allowed: inside },
    remedy: 'If it is the one that is meant, name it yourself: --checkpoint FILE',
  });
}

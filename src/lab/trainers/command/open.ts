// An external trainer program: it gets the stage as a file and reports its progress in lines of JSON. docs/trainers.md
// describes how to write one.
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { digestOf } from '../../environments/environment.ts';
import type { Launch } from '../../programs/child.ts';
import { endLeftovers } from '../../programs/leftovers.ts';
import type { AllowedProgram } from '../../programs/program.ts';
import { type Progress, type Trained, type Trainer, TrainerClosed, type TrainRequest } from '../trainer.ts';
import { type Entry, isStillThere, Journal } from './messages.ts';
import { type KnownWords, TrainingProgress } from './progress.ts';
import { type Limits, type Resume, Running, type Stage } from './running.ts';

export interface CommandTrainerOptions {
  /** Its command line is recorded, so secrets belong in its environment. */
  readonly program: AllowedProgram;
  /** The environment's name from its descriptor. */
  readonly environment: string;
  /** Environment variables that icecore sets for it. */
  readonly variables?: Launch['variables'];
  readonly limits?: Partial<Limits>;
}

/** An hour per update, half a minute to save and exit. */
const usualLimits: Limits = { progressMs: 3_600_000, graceMs: 30_000 };

/** The file with the stage in the training folder, and the variable with its path. */
const stageName = 'icecore-stage.json';

const stageVariable = 'ICECORE_STAGE_FILE';

/** The file with the process group of the program. */
const groupName = 'icecore-process-group';

export function openCommandTrainer(options: CommandTrainerOptions): Trainer {
  const { program, environment, variables = {} } = options;
  const { command } = program;
  const limits = { ...usualLimits, ...options.limits };
  const place: TrainingPlace = { environment, command };
  const closed = new TrainerClosed('command');
  const running = new Set<Running>();
  let isClosed = false;

  const start = async (request: TrainRequest, progress: TrainingProgress, journal: Journal): Promise<Running> => {
    const stage = stageOf(request, place, resumeOf(progress));
    const file = join(request.folder, stageName);
    await writeFile(file, `${JSON.stringify(stage, null, 2)}\n`);
    refuse(request.signal);
    const launch = { program, variables: { ...variables, [stageVariable]: file } };
    const started = new Running(launch, limits, stage, progress, journal, request.rollouts ?? null);
    running.add(started);
    if (started.pid !== undefined) await writeFile(join(request.folder, groupName), String(started.pid));
    return started;
  };

  const refuse = (signal: AbortSignal | undefined): void => {
    if (isClosed) throw closed;
    signal?.throwIfAborted();
  };

  return {
    component: { name: 'command', version: '1', parameters: { command } },
    isReproducible: false,

    async *train(given: TrainRequest) {
      refuse(given.signal);
      const request = { ...given, folder: resolve(given.folder) };
      const journal = new Journal(request.folder, trainingDigest(request, place));
      // Only then is a program in this folder one of this training.
      await journal.read(request.folder);
      await endLeftIn(request.folder, limits.graceMs);
      const { kept, progress, over } = await beginningFrom(await journal.read(request.folder), request);
      if (over !== null) return over;
      await journal.begin(kept);
      const started = await start(request, progress, journal);
      try {
        return yield* progressOf(started, request.signal);
      } finally {
        running.delete(started);
      }
    },

    close: async () => {
      isClosed = true;
      await Promise.all(Array.from(running, (program) => program.stop(closed)));
    },
  };
}

/** Ends the program that an icecore which was killed, or lost the run, has started in this folder. */
async function endLeftIn(folder: string, graceMs: number): Promise<void> {
  const group = Number(await readFile(join(folder, groupName), 'utf8').catch(() => ''));
  if (group > 0) await endLeftovers({ group, variable: stageVariable, value: join(folder, stageName) }, graceMs);
}

/** If the reader stops early, the program is stopped. */
async function* progressOf(
  program: Running,
  signal: AbortSignal | undefined,
): AsyncGenerator<Progress, Trained, undefined> {
  const abort = (): void => void program.stop(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted === true) abort();
  let isOver = false;
  try {
    for (;;) {
      const next = await program.next();
      isOver = next.done === true;
      if (next.done === true) return next.value;
      yield next.value;
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    if (!isOver) await program.stop(new Error('the reader stopped'));
  }
}

function resumeOf({ saved, spent, step }: TrainingProgress): Resume | null {
  if (saved === null) return null;
  const { checkpoint } = saved;
  return { checkpoint, step: checkpoint.step ?? step, spent };
}

/** The trainer, environment and program: the same for all stages. */
export interface TrainingPlace {
  readonly environment: string;
  readonly command: readonly string[];
}

export function stageOf(request: TrainRequest, { environment }: TrainingPlace, resume: Resume | null): Stage {
  const { configuration, hyperparameters, budget, seed, from, folder } = request;
  const ofStage = hyperparameters === undefined ? {} : { hyperparameters };
  return { protocol: 1, environment, configuration, ...ofStage, budget, seed, from, folder, resume };
}

/** Identifies this training. */
function trainingDigest(request: TrainRequest, place: TrainingPlace): string {
  const { configuration, hyperparameters, budget, seed, from } = request;
  const ofStage = hyperparameters === undefined ? {} : { hyperparameters };
  return digestOf({
    ...place,
    configuration,
    ...ofStage,
    budget,
    seed,
    from: from?.digest ?? from?.reference ?? null,
  });
}

// Determines where a training starts: at the beginning, at the last save, or at its end if it is already complete.

interface Beginning {
  /** The journal entries to keep. */
  readonly kept: readonly Entry[];
  readonly progress: TrainingProgress;
  /** The complete result, if nothing is left to do. */
  readonly over: Trained | null;
}

/** Messages after the last save will be repeated, and a saved file that no longer exists does not count. */
async function beginningFrom(entries: readonly Entry[], words: KnownWords): Promise<Beginning> {
  const progress = new TrainingProgress(words);
  const last = await lastSaved(entries);
  const end = entries.at(-1);
  if (end?.kind === 'trained' && (end.trained.checkpoint === null || last === entries.findLastIndex(isSave))) {
    return { kept: entries, progress, over: end.trained };
  }
  const kept = entries.slice(0, last + 1).filter((entry) => !isBeyond(entry, entries[last]));
  for (const entry of kept) {
    if (entry.kind === 'point') progress.add(entry.point);
    if (entry.kind !== 'saved') continue;
    progress.saved = { checkpoint: entry.checkpoint, isFile: entry.isFile };
    progress.rollouts = entry.rollouts ?? 0;
  }
  return { kept, progress, over: null };
}

/** A point reported before the save but for a later update: it will be reported again. */
function isBeyond(entry: Entry, saved: Entry | undefined): boolean {
  const step = saved?.kind === 'saved' ? saved.checkpoint.step : undefined;
  return entry.kind === 'point' && step !== undefined && entry.point.step > step;
}

const isSave = ({ kind }: Entry): boolean => kind === 'saved';

/** -1 if there is none. */
async function lastSaved(entries: readonly Entry[]): Promise<number> {
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries[i];
    if (entry?.kind === 'saved' && (await isStillThere(entry))) return i;
  }
  return -1;
}

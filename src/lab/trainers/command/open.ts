// A trainer that is a program of somebody else's: it is told about the stage and tells how far it is, in lines of JSON.
// docs/trainers.md is for who writes one.
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { AllowedProgram } from '../../programs/allowed.ts';
import type { Launch } from '../../programs/child.ts';
import { TrainerClosed } from '../errors.ts';
import type { Progress, Trained, Trainer, TrainRequest } from '../trainer.ts';
import { beginningFrom } from './beginning.ts';
import type { Course } from './course.ts';
import { Journal } from './journal.ts';
import { type Limits, Running } from './running.ts';
import { type Resume, stageOf, trainingDigest, type Workshop } from './stage.ts';

export interface CommandTrainerOptions {
  /** Its command line is recorded: a secret belongs into its environment. */
  readonly program: AllowedProgram;
  /** The name of the environment it trains on, as its descriptor says it. */
  readonly environment: string;
  /** Environment variables that icecore sets for it. */
  readonly variables?: Launch['variables'];
  readonly limits?: Partial<Limits>;
}

/** An hour for the next update, half a minute to save and end. */
export const usualLimits: Limits = { progressMs: 3_600_000, graceMs: 30_000 };

/** The file with the stage, in the folder of the training, and the variable that says where it is. */
export const stageName = 'icecore-stage.json';
export const stageVariable = 'ICECORE_STAGE_FILE';

export function openCommandTrainer(options: CommandTrainerOptions): Trainer {
  const { program, environment, variables = {} } = options;
  const { command } = program;
  const limits = { ...usualLimits, ...options.limits };
  const workshop: Workshop = { environment, command };
  const closed = new TrainerClosed('command');
  const running = new Set<Running>();
  let isClosed = false;

  const start = async (request: TrainRequest, course: Course, journal: Journal): Promise<Running> => {
    const stage = stageOf(request, workshop, resumeOf(course));
    const file = join(request.folder, stageName);
    await writeFile(file, `${JSON.stringify(stage, null, 2)}\n`);
    refuse(request.signal);
    const launch = { program, variables: { ...variables, [stageVariable]: file } };
    const started = new Running(launch, limits, stage, course, journal, request.rollouts ?? null);
    running.add(started);
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
      const journal = new Journal(request.folder, trainingDigest(request, workshop));
      const { kept, course, over } = await beginningFrom(await journal.read(request.folder));
      if (over !== null) return over;
      await journal.begin(kept);
      const started = await start(request, course, journal);
      try {
        return yield* told(started, request.signal);
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

/** Whoever stops reading in the middle has the program ended. */
async function* told(program: Running, signal: AbortSignal | undefined): AsyncGenerator<Progress, Trained, undefined> {
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
    if (!isOver) await program.stop(new Error('nobody reads what it tells'));
  }
}

function resumeOf({ saved, spent, step }: Course): Resume | null {
  if (saved === null) return null;
  const { checkpoint } = saved;
  return { checkpoint, step: checkpoint.step ?? step, spent };
}

// What `icecore lake train` does: trains in a folder of its own, shows how it goes, and says what came of it. Stopped at any
// moment, the same command goes on.
import { isAbsolute, relative } from 'node:path';
import type { TrainLine, TrainResult } from '../../../../schemas/training-output.ts';
import type { Checkpoint } from '../../../lab/policies/policy.ts';
import { shellWord } from '../../../ledger/shell-word.ts';
import { claim } from '../../../producers/trainers/folder.ts';
import { occupy } from '../../../producers/trainers/occupied.ts';
import { baseCheckpoint } from '../../../producers/trainers/start.ts';
import type { Context } from '../../context.ts';
import { type Asked, askedFor, base, type TrainOptions } from './asked.ts';
import { followed } from './followed.ts';
import { resultOf } from './result.ts';
import { told } from './told.ts';
import { typedAgain } from './typed.ts';

export async function train(context: Context, options: TrainOptions, command: readonly string[]): Promise<number> {
  const asked = await askedFor(context, options, command);
  try {
    if (!asked.isBegun) await claim(asked.folder, asked.training);
    const leave = await occupy(asked.folder);
    try {
      const result = await trainedAs(context, asked, typedAgain(options, asked, command));
      await tell(context, result, command.length > 0);
    } finally {
      await leave();
    }
  } finally {
    await asked.trainer.close();
  }
  return 0;
}

async function trainedAs(context: Context, asked: Asked, again: string): Promise<TrainResult> {
  const { trainer, configuration, budget, seed, folder, isBegun } = asked;
  const from = await startOf(context, asked);
  const request = { configuration: { ...configuration }, from, budget, seed, folder };
  const { trained, took } = await followed(context, { trainer, request, isBegun, again });
  return resultOf(asked, from, trained, took);
}

async function tell(context: Context, result: TrainResult, isProgram: boolean): Promise<void> {
  if (context.flags.json) await context.printJson(result satisfies TrainLine);
  else await context.print(told(context, result));
  if (!result.isNew) await context.say('It had been trained to its end before: nothing was left to do.');
  if (result.checkpoint !== null && !isProgram) await sayNext(context, result.checkpoint);
}

async function startOf(context: Context, asked: Asked): Promise<Checkpoint | null> {
  const { from, configuration, seed, folder, isBegun } = asked;
  if (from !== base) return from;
  if (!isBegun) await context.say('making the base snapshot, which takes some seconds');
  return await baseCheckpoint(configuration, seed, folder);
}

async function sayNext({ io, hint }: Context, { reference }: Checkpoint): Promise<void> {
  const near = relative(io.cwd, reference);
  const path = near.startsWith('..') || isAbsolute(near) ? reference : near;
  await hint(`Next: icecore lake evaluate ${shellWord(path)}`);
}

// What `icecore lake train` does, and the command line that continues it.

import { isAbsolute, relative } from 'node:path';
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { TrainLine, TrainResult } from '../../../../schemas/training-output.ts';
import { count } from '../../../base/quantity.ts';
import { shellWord } from '../../../base/shell-word.ts';
import { visibleLines } from '../../../base/visible.ts';
import type { Checkpoint } from '../../../lab/policies/policy.ts';
import { TrainingFault } from '../../../lab/trainers/command/messages.ts';
import type { Progress, Trained, Trainer, TrainRequest } from '../../../lab/trainers/trainer.ts';
import { budgetText } from '../../../library/experiment/budget.ts';
import { claim, occupy } from '../../../producers/trainers/folder.ts';
import { baseCheckpoint, checkpointsOn } from '../../../producers/trainers/trainers.ts';
import type { Context } from '../../context.ts';
import { type Asked, askedFor, base, environment, type TrainOptions } from './asked.ts';
import { resultOf, type Took, told, Watch } from './view.ts';

/** Only what was chosen; the folder always, so that it goes on there and nowhere else. */
export function typedAgain(options: TrainOptions, { out }: Pick<Asked, 'out'>, command: readonly string[]): string {
  const { config, agents, budget, seed, from, jobs } = options;
  const chosen = Object.entries({ config, agents, budget: budgetText(budget), seed, from, jobs, output: out });
  const words = chosen.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, shellWord(String(value))]));
  const program = command.length === 0 ? [] : ['--', ...command.map((word) => shellWord(word))];
  return ['icecore lake train', ...words, ...program].join(' ');
}

interface Following {
  readonly trainer: Trainer;
  readonly request: Omit<TrainRequest, 'signal'>;
  /** Something of it is there already. */
  readonly isBegun: boolean;
  /** The command that goes on with it. */
  readonly again: string;
}

interface Followed {
  readonly trained: Trained;
  readonly took: Took;
}

async function followed(context: Context, following: Following): Promise<Followed> {
  const { trainer, request, isBegun } = following;
  const { signal } = context;
  const watch = new Watch(context, request.budget, isBegun);
  const end: { trained?: Trained } = {};
  const telling = async function* (): AsyncGenerator<Progress, void, undefined> {
    end.trained = yield* trainer.train({ ...request, signal });
  };
  try {
    for await (const progress of telling()) {
      // Nobody asked for rollouts here.
      if (progress.kind === 'rollouts') continue;
      if (context.flags.json) await context.printJson(progress satisfies TrainLine);
      await watch.take(progress);
    }
    return { trained: end.trained as Trained, took: tookOf(watch, isBegun) };
  } catch (fault) {
    await watch.end();
    if (fault instanceof TrainingFault) await tellLog(context, fault);
    throw signal.aborted ? stopped(signal.reason, watch, following) : fault;
  } finally {
    await watch.end();
  }
}

/** Where nothing new was told of what was begun before, it was over. */
function tookOf({ pace, isUntold }: Watch, isBegun: boolean): Took {
  return isBegun && isUntold ? null : { seconds: pace.seconds, perSecond: pace.perSecond };
}

/** What a program said is mostly why it failed. */
async function tellLog({ flags, io }: Context, { partial }: TrainingFault): Promise<void> {
  const { log } = partial;
  if (flags.quiet || log === undefined) return;
  const indented = visibleLines(log).replaceAll(/^/gm, '  ');
  await io.stderr.write(`the last the program said:\n${indented}\n`);
}

function stopped(reason: unknown, { step, saved }: Watch, { isBegun, request, again }: Following): IcecoreError {
  const at = step === null ? 'before an update was told' : `after update ${count(step)}`;
  const left = savedWords(saved, isBegun);
  return new IcecoreError('interrupted', `stopped by ${reason} ${at}; ${left}`, {
    facts: { folder: request.folder, step, saved: saved?.reference ?? null },
    remedy: `Go on with: ${again}`,
  });
}

function savedWords(saved: Checkpoint | null, isBegun: boolean): string {
  if (saved?.step !== undefined) return `it was saved at update ${count(saved.step)}`;
  if (saved !== null) return 'it was saved';
  // A program may still save when it is asked to end.
  return isBegun ? 'no save was told of since it was gone on with' : 'no save was told of yet';
}

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
  const { registry } = await context.session.plugins.all();
  const checkpoints = checkpointsOn(registry, environment);
  return await baseCheckpoint(checkpoints, { configuration: { ...configuration }, seed, folder });
}

async function sayNext({ io, hint }: Context, { reference }: Checkpoint): Promise<void> {
  const near = relative(io.cwd, reference);
  const path = near.startsWith('..') || isAbsolute(near) ? reference : near;
  await hint(`Next: icecore lake evaluate ${shellWord(path)}`);
}

// A training from its begin to its end, whichever that is: over, stopped by somebody, or broken off by a fault.
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { TrainLine } from '../../../../schemas/training-output.ts';
import { count } from '../../../base/quantity.ts';
import { visibleLines } from '../../../base/visible.ts';
import type { Checkpoint } from '../../../lab/policies/policy.ts';
import { TrainingFault } from '../../../lab/trainers/command/messages.ts';
import type { Progress, Trained, Trainer, TrainRequest } from '../../../lab/trainers/trainer.ts';
import type { Context } from '../../context.ts';
import type { Took } from './result.ts';
import { Watch } from './watch.ts';

export interface Following {
  readonly trainer: Trainer;
  readonly request: Omit<TrainRequest, 'signal'>;
  /** Something of it is there already. */
  readonly isBegun: boolean;
  /** The command that goes on with it. */
  readonly again: string;
}

export interface Followed {
  readonly trained: Trained;
  readonly took: Took;
}

export async function followed(context: Context, following: Following): Promise<Followed> {
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

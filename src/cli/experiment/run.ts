// What `icecore run`, `icecore resume` and `icecore fork` print: the progress of the run and its result.
import type { StageSpec } from '../../../schemas/by-hand-output.ts';
import type { RunResult } from '../../../schemas/run-result.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { RunProgress } from '../../library/experiment/advance.ts';
import { type ForkOptions, fork as forkRun } from '../../library/experiment/fork.ts';
import {
  type OrchestrationOptions,
  type ResumeOptions,
  type RunOptions,
  resume as resumeRun,
  run as runExperiment,
} from '../../library/experiment/run.ts';
import type { RunReference } from '../../library/reference.ts';
import type { Context } from '../context.ts';
import { watchingRun } from './watch.ts';

type OnProgress = (progress: RunProgress) => Promise<void>;

export async function run(context: Context, options: RunOptions): Promise<number> {
  return await printRun(context, options, (onProgress) => runExperiment(context.session, { ...options, onProgress }));
}

export async function resume(context: Context, name: string, options: ResumeOptions): Promise<number> {
  return await printRun(context, options, (onProgress) => resumeRun(context.session, name, { ...options, onProgress }));
}

export async function fork(context: Context, parent: RunReference, options: ForkOptions): Promise<number> {
  return await printRun(context, {}, (onProgress) => forkRun(context.session, parent, { ...options, onProgress }));
}

async function printRun(
  context: Context,
  { workersOnly = false }: Pick<OrchestrationOptions, 'workersOnly'>,
  work: (onProgress: OnProgress) => Promise<RunResult | StageSpec>,
): Promise<number> {
  let isOpened = false;
  const result = await watchingRun(context, (watch) =>
    work(async (progress) => {
      if (progress.kind === 'opened') {
        isOpened = true;
        const name = shellWord(progress.settings.name);
        if (workersOnly) await context.hint(`its rollouts are left to workers: icecore worker ${name}`);
      }
      await watch(progress);
    }),
  );
  if ('protocol' in result) await printSpec(context, result);
  else {
    if (!isOpened) await context.say(`${result.name} was completed before: nothing is left to do`);
    await printResult(context, result);
  }
  return 0;
}

async function printResult(context: Context, result: RunResult): Promise<void> {
  if (context.flags.json) return await context.printJson(result);
  await showRun(context, result.name);
  if (result.ended === 'waiting') await sayWaiting(context, result);
}

export async function showRun({ flags, io, invoke }: Context, name: string): Promise<number> {
  const same = [...(flags.ledger === undefined ? [] : ['--ledger', flags.ledger]), ...(flags.quiet ? ['--quiet'] : [])];
  return await invoke(['show', name, ...same], io);
}

async function sayWaiting({ say, hint }: Context, { name, stages }: RunResult): Promise<void> {
  const decision = shellWord(`${name}@${stages + 1}`);
  await say(`${name} waits for a person to decide on stage ${stages + 1}`);
  await hint(`icecore context ${decision} shows what an engineer would see; decide with icecore adopt FILE,`);
  await hint(`then continue with icecore resume ${shellWord(name)}`);
}

/** Prints it for a trainer, with or without --json. */
export async function printSpec(context: Context, spec: StageSpec): Promise<void> {
  await context.printJson(spec);
  const { name, stage, stages } = spec;
  const finish = `icecore stage finish ${shellWord(name)}`;
  await context.hint(`stage ${stage} of ${stages}: train it, then ${finish} --checkpoint FILE`);
  await context.hint('(or --curve FILE, the output of the trainer, if it names the checkpoint)');
}

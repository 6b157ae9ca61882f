// What `icecore ablate` prints: an ablation as far as it is, a plan of one, or one that is recorded.
import type { Ablated } from '../../../schemas/ablation-output.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { counted } from '../../base/quantity.ts';
import {
  type AblateOptions,
  planAblation,
  readAblation,
  ablate as replayDecisions,
} from '../../library/ablation/ablate.ts';
import type { RunReference } from '../../library/reference.ts';
import type { Context } from '../context.ts';
import { type PrintOptions, printAblation, printPlan, shapeOf } from './print.ts';
import { AblationWatch } from './watch.ts';

interface Options extends AblateOptions, PrintOptions {
  readonly plan?: true;
  readonly show?: string;
}

export async function ablate(
  context: Context,
  runs: readonly RunReference[],
  { plan, show, format, output, verbose = false, ...options }: Options,
): Promise<number> {
  const { session } = context;
  const shape = shapeOf(context, {
    verbose,
    ...(format === undefined ? {} : { format }),
    ...(output === undefined ? {} : { output }),
  });
  if (show !== undefined) {
    if (runs[0] !== undefined) throw runAndShow(runs[0].run);
    if (plan === true || asksForWork(options)) throw optionsAndShow();
    await printAblation(context, shape, await readAblation(session, show));
    return 0;
  }
  if (plan === true) {
    await printPlan(context, shape, await planAblation(session, runs, options));
    return 0;
  }
  const watch = new AblationWatch(context);
  const work = replayDecisions(session, runs, { ...options, onProgress: watch.tell });
  const ablated = await work.finally(watch.end);
  await printAblation(context, shape, ablated);
  if (options.onError === 'keep' || !ablated.errored.some(({ resumable }) => resumable)) return 0;
  await sayErrored(context, ablated);
  return 1;
}

async function sayErrored(context: Context, { errored, state }: Ablated): Promise<void> {
  const next = state === 'under-way' ? ': the same command tries again; --on-error keep ends without' : '';
  await context.say(`${counted(errored.length, 'arm')} errored${next}`);
}

/** Other options than those with a default, which nobody may have typed. */
function asksForWork({ level: _, ...others }: AblateOptions): boolean {
  return Object.values(others).some((value) => value !== undefined && !(Array.isArray(value) && value.length === 0));
}

function optionsAndShow(): IcecoreError {
  return new IcecoreError(
    'usage',
    'ablate: found other options together with --show, allowed: --verbose, --format and --output',
    {
      facts: { allowed: ['--verbose', '--format', '--output'] },
      remedy: 'A recorded ablation is shown as it is. Without --show, the options ask for another one.',
    },
  );
}

function runAndShow(run: string): IcecoreError {
  return new IcecoreError('usage', `ablate: found ${run} together with --show, allowed: one of them`, {
    facts: { found: [run, '--show'] },
    remedy: '--show takes the name of an ablation, which has its runs.',
  });
}

// What `icecore lake evaluate` does: has one policy plan for many lakes, and tells how good the plans are.
import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import type { LakeEvaluation } from '../../../schemas/lake-evaluation-output.ts';
import { count, duration } from '../../base/quantity.ts';
import type { Evaluated } from '../../lab/evaluation/judged.ts';
import { confidence } from '../../lab/statistics/distributions.ts';
import { refuseToOverwrite } from '../../library/place/files.ts';
import { findPlace } from '../../library/place/place.ts';
import type { Context } from '../context.ts';
import { type Conditions, evaluated, type Outcome, rolloutLine } from './evaluation/evaluation.ts';
import { LinesFile, lakeOnThreads } from './evaluation/lakes.ts';
import { type EvaluatingOptions, meantBy, openLakes } from './evaluation/opening.ts';
import { withPolicies } from './evaluation/policies.ts';
import { tellPrice } from './evaluation/price-tag.ts';
import { evaluationText, tellEvidence } from './evaluation/view.ts';

export interface EvaluateOptions extends EvaluatingOptions {
  readonly rollouts?: string;
}

export async function evaluate(context: Context, word: string, options: EvaluateOptions): Promise<number> {
  const meant = meantBy(context, options);
  const path = rolloutsPath(context, options);
  const { jobs, cap, conditions } = meant;
  const environment = lakeOnThreads(jobs);
  try {
    const outcome = await withPolicies(context, { words: [word], environment, jobs, cap }, async ([named]) => {
      if (named === undefined) throw new Error('one policy was named');
      const lakes = await openLakes(context, environment, meant);
      const asked = { environment, ...lakes, ...conditions };
      await tellPrice(context, named, asked);
      return await recorded(path, (onRollout) => evaluated(context, named, { ...asked, onRollout }));
    });
    if (context.flags.json) await context.printJson(told(word, outcome, conditions));
    else {
      await context.print(evaluationText(context, word, outcome, conditions));
      await context.say(paceText(outcome));
    }
    return await tellEvidence(context, word, outcome);
  } finally {
    await environment.close();
  }
}

/** Every rollout that `body` tells of is written to the file, if there is to be one. */
async function recorded<Result>(
  path: string | null,
  body: (onRollout: (rollout: Evaluated) => void) => Promise<Result>,
): Promise<Result> {
  if (path === null) return await body(() => {});
  const file = new LinesFile(path);
  try {
    return await body((rollout) => file.add(rolloutLine(rollout)));
  } finally {
    file.close();
  }
}

function rolloutsPath(context: Context, { rollouts, lakes = '-' }: EvaluateOptions): string | null {
  if (rollouts === undefined) return null;
  const { ledger } = findPlace(context.session);
  const path = refuseToOverwrite(context.io.cwd, rollouts, lakes, ledger.files, '--rollouts');
  // Better now than when all lakes are made.
  accessSync(dirname(path), constants.W_OK);
  return path;
}

function told(
  word: string,
  { evaluation, faults, pace }: Outcome,
  { seed, samples, greedy }: Conditions,
): LakeEvaluation {
  const { policy = { name: word }, checkpoint = null, suite, split, rollouts, results, cells, failures } = evaluation;
  return {
    as_of: new Date().toISOString(),
    named: word,
    policy,
    checkpoint,
    suite,
    split,
    seed,
    samples,
    decoding: { greedy },
    rollouts,
    results: [...results],
    cells: (cells ?? []) as LakeEvaluation['cells'],
    failures: (failures ?? []) as LakeEvaluation['failures'],
    interval: { method: 'wilson', level: confidence },
    faults: [...faults],
    measured: pace,
  };
}

function paceText({ evaluation, pace }: Outcome): string {
  const { seconds, agentStepsPerSecond } = pace;
  return `${count(evaluation.rollouts)} rollouts in ${duration(seconds)}, ${count(agentStepsPerSecond)} agent steps/s`;
}

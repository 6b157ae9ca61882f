// Where figures come from: the rollouts behind them, the command and the query that give them again.
import type { Why, WhyEvidence, WhyFigure } from '../../schemas/why-output.ts';
import type { Source } from './menu.tsx';
import { placeText, shellWord, sqlText } from './place.ts';
import { benchmarkOf } from './rollout-filter.ts';
import { hrefOf } from './router.ts';

type DecisionShown = Pick<Why, 'run' | 'name' | 'stage'>;

/** Tables have the stages that a fork shares under the run that recorded them. */
export function recorderOf(run: string, stage: number): string {
  return `(SELECT recorder_id FROM lineage WHERE run_id = ${sqlText(run)} AND stage = ${stage})`;
}

function familyTest(family: string | null): string {
  return family === null ? 'family IS NULL' : `family = ${sqlText(family)}`;
}

export type Measured = 'validation' | 'probe' | 'signal';

/** A rate of a family that a decision shows, in a stage. */
export function decisionRateSource(
  why: DecisionShown,
  stage: number,
  family: string | null,
  measured: Measured,
): Source {
  const at = placeText(why.name, stage);
  const where = `run_id = ${recorderOf(why.run, stage)} AND ${familyTest(family)}`;
  const split = measured === 'signal' ? 'train' : measured;
  return {
    rollouts: hrefOf('rollouts', at, { split, family }),
    command: `icecore show ${shellWord(at)}`,
    sql: {
      validation: `SELECT value, low, high, count, out_of FROM evaluations WHERE ${where} AND stage = ${stage} AND split = 'validation' AND measure = 'valid' AND conditions IS NULL AND ablation IS NULL AND counts`,
      probe: `SELECT value, low, high, count, out_of FROM facts WHERE ${where} AND evidence_through = ${stage} AND module = 'behaviour' AND measure = 'valid' AND about IS NULL AND counts`,
      signal: `SELECT share, with_variance, sample_groups FROM training_signal WHERE ${where} AND stage = ${stage} AND ablation IS NULL`,
    }[measured],
  };
}

/** The figure of an evidence id, as it was shown (`stage` is the one before the decision) or after the stage itself. */
export function evidenceSource(
  why: DecisionShown,
  stage: number,
  { evidenceId, family, module }: Pick<WhyEvidence, 'evidenceId' | 'family' | 'module'>,
  { splits, measure, about }: WhyFigure,
): Source {
  const isFailure = measure === 'failures' && about !== null;
  const [split] = splits;
  return {
    ...(split === undefined
      ? {}
      : {
          rollouts: hrefOf('rollouts', placeText(why.name, stage), {
            ...{ split, family },
            ...(isFailure ? { failure_class: about } : {}),
          }),
        }),
    command: `icecore why ${shellWord(placeText(why.name, why.stage))} --detail 3`,
    sql:
      `SELECT measure, about, value, low, high, count, out_of FROM facts WHERE run_id = ${recorderOf(why.run, stage)} AND ` +
      `evidence_through = ${stage} AND evidence_id = ${sqlText(evidenceId)}` +
      `${module === null ? '' : ` AND module = ${sqlText(module)}`} AND counts`,
  };
}

interface RateOf {
  /** As it is typed in a command. */
  readonly run: string;
  readonly id: string;
  readonly stage: number;
  readonly measure: string;
  readonly family?: string | null;
  /** The split and the suite (default: validation). */
  readonly split?: string;
  readonly suite?: string;
}

/** Of a rate that was measured after a stage. */
export function rateSource({ run, id, stage, measure, family = null, split = 'validation', suite }: RateOf): Source {
  const at = shellWord(`${run}@${stage}`);
  const conditions = [
    `l.run_id = ${sqlText(id)}`,
    `l.stage = ${stage}`,
    `split = ${sqlText(split)}`,
    ...(suite === undefined ? [] : [`suite = ${sqlText(suite)}`]),
    family === null ? 'family IS NULL' : `family = ${sqlText(family)}`,
    `measure = ${sqlText(measure)}`,
    'conditions IS NULL AND ablation IS NULL AND counts',
  ];
  const benchmark = split === 'test' && suite !== undefined ? benchmarkOf(suite) : null;
  return {
    rollouts: hrefOf('rollouts', `${run}@${stage}`, { split, benchmark, family }),
    command: `icecore show ${at}`,
    // Stages that a fork shares are under the run that recorded them. Probe rollouts are counted without an evaluation.
    ...(split === 'probe'
      ? {}
      : {
          sql: `SELECT value, low, high, count, out_of FROM lineage AS l JOIN evaluations AS e ON e.run_id = l.recorder_id AND e.stage = l.stage WHERE ${conditions.join(' AND ')}`,
        }),
  };
}

/** Of a rate after the stage before and after the stage itself. */
export function gainSources(of: RateOf): { readonly before: Source; readonly after: Source } {
  return { before: rateSource({ ...of, stage: of.stage - 1 }), after: rateSource(of) };
}

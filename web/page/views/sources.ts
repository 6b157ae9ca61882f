// Where figures of runs come from: the rollouts behind them, the command and the query that give them again.
import type { Source } from '../menu.tsx';
import { shellWord, sqlText } from '../place.ts';
import { hrefOf } from '../router.ts';

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
    'conditions IS NULL AND counts',
  ];
  return {
    rollouts: hrefOf('rollouts', `${run}@${stage}`, { split, family }),
    command: `icecore show ${at}`,
    // Stages that a fork shares are under the run that recorded them.
    sql: `SELECT value, low, high, count, out_of FROM lineage AS l JOIN evaluations AS e ON e.run_id = l.recorder_id AND e.stage = l.stage WHERE ${conditions.join(' AND ')}`,
  };
}

/** Of a rate after the stage before and after the stage itself. */
export function gainSources(of: RateOf): { readonly before: Source; readonly after: Source } {
  return { before: rateSource({ ...of, stage: of.stage - 1 }), after: rateSource(of) };
}

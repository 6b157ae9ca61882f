// Where figures of runs come from: the rollouts behind them, the command and the query that give them again.
import type { Source } from '../menu.tsx';
import { hrefOf } from '../router.ts';
import { quoted } from './sql-answer.ts';

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
  const at = commandWord(`${run}@${stage}`);
  const conditions = [
    `l.run_id = ${quoted(id)}`,
    `l.stage = ${stage}`,
    `split = ${quoted(split)}`,
    ...(suite === undefined ? [] : [`suite = ${quoted(suite)}`]),
    family === null ? 'family IS NULL' : `family = ${quoted(family)}`,
    `measure = ${quoted(measure)}`,
    'conditions IS NULL AND counts',
  ];
  return {
    rollouts: hrefOf('rollouts', `${run}@${stage}`, { split, family }),
    command: `icecore show ${at}`,
    // Stages that a fork shares are under the run that recorded them.
    sql: `SELECT value, low, high, count, out_of FROM lineage AS l JOIN evaluations AS e ON e.run_id = l.recorder_id AND e.stage = l.stage WHERE ${conditions.join(' AND ')}`,
  };
}

/** An argument as it is typed in a shell. */
export function commandWord(text: string): string {
  return /^[\w.@:/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

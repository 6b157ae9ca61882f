// Whether an evaluation tells anything: where faults took away some of the rollouts that is said, and where they took all
// of them the command has failed.

import { count, counted } from '../../../base/quantity.ts';
import type { Context } from '../../context.ts';
import { rateOf } from './rates.ts';
import type { Outcome } from './run.ts';

/** The exit code. */
export async function tellEvidence(context: Context, word: string, { evaluation, faults }: Outcome): Promise<number> {
  const spoilt = faults.reduce((sum, { count: times }) => sum + times, 0);
  if (spoilt === 0) return 0;
  const isNone = rateOf(evaluation, 'valid').of === 0;
  const some = isNone ? 'none could' : `${count(spoilt)} could not`;
  const of = counted(evaluation.rollouts, 'rollout');
  await context.say(`of ${of} of ${word}, ${some} be judged; the same command tries these again`);
  return isNone ? 1 : 0;
}

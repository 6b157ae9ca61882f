// What a plan earns in the embedded trainer.
import type { Judged } from '../../environments/verdict.ts';
import { defaults, type Settings } from './settings.ts';

export const grpoComponent = 'grpo';

/** The parameters that are recorded of the trainer say how much more an optimal plan earns. */
export function rewardOf(
  { success, metrics }: Pick<Judged, 'success' | 'metrics'>,
  { bonus = defaults.bonus }: Partial<Settings>,
): number {
  if (!success) return 0;
  return 1 + (metrics['optimal'] === 1 ? bonus : 0);
}

// What arms are measured by, at each depth: what they came to first, and then how good what they proposed was.
import type { Ablated } from '../../../schemas/ablation-output.ts';
import type { Depth } from '../../producers/ablation/design.ts';

export type Measure = Ablated['measures'][number];

const benchmarks = 'of the benchmarks of the run, all suites together';

const came: readonly Measure[] = [
  {
    measure: 'valid',
    better: 'higher',
    is: 'share',
    says: `success rate ${benchmarks}; of validation where there are none`,
  },
  { measure: 'optimal', better: 'higher', is: 'share', says: `share that could not be bettered, ${benchmarks}` },
  { measure: 'validation', better: 'higher', is: 'share', says: 'success rate on validation' },
];

const area: Measure = {
  measure: 'area',
  better: 'higher',
  is: 'share',
  says: 'success rate on validation, the mean over the ends of all stages after the first decision',
};

const scores: readonly Measure[] = [
  {
    measure: 'grounded',
    better: 'higher',
    is: 'share',
    says: 'changes whose evidence exists and concerns what they turn',
  },
  { measure: 'preserving', better: 'higher', is: 'share', says: 'groups that work and are left alone' },
  { measure: 'usable', better: 'higher', is: 'share', says: 'proposals that could be used as they came' },
  {
    measure: 'brier',
    better: 'lower',
    is: 'number',
    says: 'how far predicted success rates missed what was held back',
  },
  { measure: 'rank-correlation', better: 'higher', is: 'number', says: 'whether it knows which groups are harder' },
];

export function measuresAt(depth: Depth): readonly Measure[] {
  if (depth === 'propose') return scores;
  return [...came, ...(depth === 'run' ? [area] : []), ...scores];
}

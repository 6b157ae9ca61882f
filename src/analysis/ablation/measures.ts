// What arms are measured by, at each depth: what they came to first, and then how good what they proposed was.
import type { Ablated } from '../../../schemas/ablation-output.ts';
import type { Depth } from '../../producers/ablation/design.ts';

export type Measure = Ablated['measures'][number];

const validation: Measure = {
  measure: 'validation',
  better: 'higher',
  is: 'share',
  split: 'validation',
  says: 'success rate on validation',
};

const area: Measure = {
  measure: 'area',
  better: 'higher',
  is: 'share',
  split: 'validation',
  says: 'success rate on validation, the mean over the ends of all stages after the first decision',
};

const benchmarks = 'of the benchmarks of the run, all suites together';

const test: readonly Measure[] = [
  { measure: 'valid', better: 'higher', is: 'share', split: 'test', says: `success rate on test: ${benchmarks}` },
  {
    measure: 'optimal',
    better: 'higher',
    is: 'share',
    split: 'test',
    says: `share that could not be bettered on test: ${benchmarks}`,
  },
];

const scores: readonly Measure[] = [
  {
    measure: 'citation',
    better: 'higher',
    is: 'number',
    split: null,
    says: 'citation score: how far changes rest on the evidence they cite, beyond chance',
  },
  {
    measure: 'preservation',
    better: 'higher',
    is: 'share',
    split: null,
    says: 'preservation score: families that work and are left alone',
  },
  { measure: 'usable', better: 'higher', is: 'share', split: null, says: 'proposals that could be used as they came' },
  {
    measure: 'brier',
    better: 'lower',
    is: 'number',
    split: null,
    says: 'how far predicted success rates missed what was held back',
  },
  {
    measure: 'rank-correlation',
    better: 'higher',
    is: 'number',
    split: null,
    says: 'whether it knows which families are harder',
  },
];

export function measuresAt(depth: Depth): readonly Measure[] {
  if (depth === 'propose') return scores;
  return [validation, ...(depth === 'run' ? [area] : []), ...test, ...scores];
}

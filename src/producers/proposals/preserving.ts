// The preservation score: whether a proposal leaves alone what works. A family works when the policy surely succeeds in it more often than not; it is
// kept when none of its knobs, and none that concerns all families, moves by more than the smallest change that matters.
import type { Descriptor } from '../../../schemas/environment.ts';
import type { Fact } from '../../lab/engineers/engineer.ts';
import { isWithinOneStep, stepsMoved } from '../../lab/environments/configuration.ts';
import type { Configuration, Score } from '../../lab/environments/environment.ts';
import { wilson } from '../../lab/statistics/distributions.ts';
import { figure } from '../summaries/summary.ts';

/** The lower end of the interval of its rate, from which on a family works. */
const working = 0.6;

export function preservation(
  descriptor: Descriptor,
  current: Configuration,
  proposed: Configuration,
  behaviour: readonly Fact[],
): Score {
  if (behaviour.length === 0) return { value: null, reason: 'nothing was counted of how often families succeed' };
  const families = descriptor.families.map(({ family }) => family).filter((family) => works(family, behaviour));
  if (families.length === 0) return { value: null, reason: 'no family works yet' };
  const steps = stepsMoved(descriptor, current, proposed);
  const kept = families.filter((family) =>
    descriptor.knobs
      .filter((knob) => knob.family === family || knob.family === null)
      .every(({ name }) => isWithinOneStep(steps.get(name) ?? 0)),
  );
  return figure(kept.length / families.length);
}

/** The end of the interval that is told is over tasks; where none is, it is reckoned from the counts of tries. */
function works(family: string, behaviour: readonly Fact[]): boolean {
  const rate = behaviour.find((fact) => fact.family === family && fact.measure === 'valid');
  if (rate === undefined) return false;
  const { count, of, low } = rate;
  const surely = low ?? (count !== undefined && of !== undefined && of > 0 ? wilson(count, of).low : 0);
  return surely >= working;
}

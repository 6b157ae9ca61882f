// Whether a proposal leaves alone what works. A group works when the policy surely succeeds in it more often than not; it is
// kept when none of its knobs moves by more than the smallest change that matters.
import type { Descriptor } from '../../../schemas/environment.ts';
import type { Fact } from '../../lab/engineers/engineer.ts';
import { isWithinOneStep, stepsMoved } from '../../lab/environments/differences.ts';
import type { Configuration } from '../../lab/environments/environment.ts';
import type { Score } from '../../lab/environments/verdict.ts';
import { wilson } from '../../lab/statistics/wilson.ts';
import { figure } from '../summaries/summary.ts';

/** The lower end of the interval of its rate, from which on a group works. */
const working = 0.6;

export function preserving(
  descriptor: Descriptor,
  current: Configuration,
  proposed: Configuration,
  behaviour: readonly Fact[],
): Score {
  const groups = descriptor.groups.map(({ group }) => group).filter((group) => works(group, behaviour));
  if (groups.length === 0) return { value: null, reason: 'no group works yet' };
  const steps = stepsMoved(descriptor, current, proposed);
  const kept = groups.filter((group) =>
    descriptor.knobs.every((knob) => knob.group !== group || isWithinOneStep(steps.get(knob.name) ?? 0)),
  );
  return figure(kept.length / groups.length);
}

/** Reckoned from the counts where they are told, as the end of the interval that stands beside them is rounded. */
function works(group: string, behaviour: readonly Fact[]): boolean {
  const rate = behaviour.find((fact) => fact.group === group && fact.measure === 'valid');
  if (rate === undefined) return false;
  const { count, of, low } = rate;
  const surely = count !== undefined && of !== undefined && of > 0 ? wilson(count, of).low : low;
  return surely !== undefined && surely >= working;
}

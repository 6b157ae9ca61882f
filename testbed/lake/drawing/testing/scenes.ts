// Random scenes for drawings: with valid, invalid or missing plans, and plans for another number of agents.
import fc from 'fast-check';
import { judge } from '../../judge.ts';
import { type Bounds, instances, plansFor } from '../../testing/arbitraries.ts';
import type { Scene } from '../walk.ts';

export function scenes(bounds: Bounds = {}, longest = 12): fc.Arbitrary<Scene> {
  return instances(bounds).chain((instance) =>
    fc.oneof(
      fc.constant({ instance }),
      fc
        .integer({ min: 0, max: instance.agents.length + 1 })
        .chain((texts) => plansFor(texts, longest))
        .chain((plan) =>
          fc.constantFrom<Scene>(
            { instance, plan },
            { instance, plan, failures: judge(instance, plan.slice(0, instance.agents.length)).failures },
          ),
        ),
    ),
  );
}

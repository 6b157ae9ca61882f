// Policies that are rules: each plan follows from the lake and from luck of its own. They are what trained policies are
// held against: random is the floor, greedy what comes of nobody minding the others, optimal the ceiling.
import { abortable } from '../../environments/abortable.ts';
import { taskDigest } from '../../environments/task.ts';
import type { Instance } from '../../lake/instance.ts';
import { lakeOf } from '../../lake/tasks.ts';
import { Random } from '../../random.ts';
import { PolicyClosed } from '../errors.ts';
import type { Planned, PlanRequest, Policy } from '../policy.ts';

/** What a rule makes of one lake: with luck, or the best it knows. */
export type Rule = (lake: Instance, luck: Random, greedy: boolean) => Omit<Planned, 'task' | 'sample'>;

/** A rule as a policy. */
export function scripted(name: string, rule: Rule): Policy {
  const closing = new AbortController();
  return {
    component: { name, version: '1' },
    checkpoint: null,

    async *plan({ tasks, samples = 1, greedy = false, seed, signal }: PlanRequest) {
      closing.signal.throwIfAborted();
      for await (const task of abortable(tasks, signal, closing.signal)) {
        const lake = lakeOf(task);
        for (let sample = 0; sample < samples; sample++) {
          const luck = new Random(seed, 'policy', name, taskDigest(task), sample);
          yield { task, sample, ...rule(lake, luck, greedy) };
          signal?.throwIfAborted();
          closing.signal.throwIfAborted();
        }
      }
    },

    close: async () => {
      closing.abort(new PolicyClosed(name));
    },
  };
}

// A scripted environment and policy, for behaviour that real ones show only in errors.
import type { Descriptor } from '../../../../schemas/environment.ts';
import { mapInOrder } from '../../../base/in-order.ts';
import type { Environment, Judged, Task, Try, Verdict } from '../../environments/environment.ts';
import type { Planned, PlanRequest, Policy } from '../../policies/policy.ts';

const descriptor: Descriptor = {
  environment: 'coins',
  knobs: [],
  families: ['gold', 'silver', 'copper'].map((family) => ({ family })),
  failed: { all: [{ field: ['success'], equals: false }] },
  failureClass: { field: ['failureClass'] },
  family: { field: ['family'] },
};

/** The number of tries it reads ahead. */
const ahead = 256;

/** An environment with scripted verdicts. */
export function environmentThat(judge: (tried: Try) => Verdict | Promise<Verdict>): Environment {
  const refuse = async function* (): AsyncGenerator<never, never, undefined> {
    yield await Promise.reject(new Error('not asked for'));
    throw new Error('not asked for');
  };
  return {
    descriptor,
    start: {},
    suites: [],
    check: () => [],
    generate: refuse,
    probe: refuse,
    suite: refuse,
    judge: (tries, signal) => mapInOrder(tries, ahead, async (tried) => await judge(tried), signal),
    close: async () => {},
  };
}

/** A policy with scripted tries. */
export function policyThat(say: (task: Task, sample: number) => Omit<Planned, 'task' | 'sample'>): Policy {
  return {
    component: { name: 'scripted' },
    checkpoint: null,
    async *plan({ tasks, samples = 1, signal }: PlanRequest) {
      for await (const task of tasks) {
        for (let sample = 0; sample < samples; sample++) {
          signal?.throwIfAborted();
          yield { task, sample, ...say(task, sample) };
        }
      }
    },
    close: async () => {},
  };
}

export function coin(number: number, change: Partial<Task> = {}): Task {
  return { id: `coin-${number}`, family: 'gold', instance: { number }, facts: {}, ...change };
}

export const heads: Judged = { outcome: 'heads', success: true, failures: [], metrics: {} };

export function tails(way = 'tails'): Judged {
  return { outcome: way, success: false, failures: [{ class: way }, { class: 'edge' }], metrics: {} };
}

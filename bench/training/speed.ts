// Agent steps per second in rollouts and in training, on one thread and on two. Both use the ports of experiments: instances are generated, plans
// are returned in order, gradients are summed, checkpoints are written.

import type { Checkpoint, Policy } from '../../src/lab/policies/policy.ts';
import { taskOf } from '../../testbed/lake/tasks.ts';
import { openNeural } from '../../testbed/neural/neural.ts';
import { type Contender, type Done, sideBySide, timed } from '../measure.ts';
import { type Line, type Report, ratioLine } from '../report.ts';
import { configurationOf, heldOutLakes } from './held-out.ts';
import { train } from './train.ts';

const rounds = 5;
const cores = 2;
const small = configurationOf({ sizes: [3, 4, 5], hole: 0.15, wait: 0.25 });
const seed = 'icecore-bench-speed-1';
const trainingAgentSteps = 600_000;
const samples = 8;

const targets = { rollouts: 200_000, training: 85_000, scaling: 1.6 } as const;

export async function rolloutBench(): Promise<Report[]> {
  // Slightly trained: an untrained policy falls at once, and its plans are short.
  return await train(
    { configuration: small, agentSteps: trainingAgentSteps, seed, threads: cores },
    async (checkpoint) => {
      const tasks = heldOutLakes().map((made, index) => taskOf(made, 'validation', index));
      const contenders = await Promise.all([1, cores].map((threads) => planning(checkpoint, threads, tasks)));
      try {
        for (const { run } of contenders) await run();
        const [one, two] = await sideBySide(contenders, rounds);
        const lines = [
          rateLine('on one thread', one?.perSecond ?? 0, null),
          rateLine('on two', two?.perSecond ?? 0, targets.rollouts),
        ];
        const title = `agent steps in rollouts, ${samples} plans per task, the median of ${rounds} rounds`;
        return [{ title, lines, data: { rounds, one: one?.perSecond, two: two?.perSecond, ratio: two?.ratio } }];
      } finally {
        for (const { policy } of contenders) await policy.close();
      }
    },
  );
}

interface Planning extends Contender {
  readonly policy: Policy;
  run(): Promise<Done>;
}

async function planning(
  checkpoint: Checkpoint,
  threads: number,
  tasks: readonly ReturnType<typeof taskOf>[],
): Promise<Planning> {
  const policy = await openNeural(checkpoint, { threads });
  const run = (): Promise<Done> =>
    timed(async () => {
      let agentSteps = 0;
      for await (const planned of policy.plan({ tasks, samples, seed })) agentSteps += planned.agentSteps ?? 0;
      return agentSteps;
    });
  return { name: `${threads} threads`, policy, run };
}

export async function trainingBench(): Promise<Report[]> {
  const contenders = [1, cores].map(
    (threads): Contender => ({ name: `${threads} threads`, run: () => training(threads) }),
  );
  const [one, two] = await sideBySide(contenders, rounds);
  const lines = [
    rateLine('on one thread', one?.perSecond ?? 0, null),
    rateLine('on two', two?.perSecond ?? 0, targets.training),
    ratioLine('two to one', two?.ratio ?? 0, targets.scaling),
  ];
  const title = `agent steps in training, sizes 3 to 5, from scratch, the median of ${rounds} rounds`;
  return [{ title, lines, data: { rounds, one: one?.perSecond, two: two?.perSecond, ratio: two?.ratio } }];
}

async function training(threads: number): Promise<Done> {
  const asked = { configuration: small, agentSteps: trainingAgentSteps, seed, threads };
  return await train(asked, async (_, { measured }) => measured);
}

function rateLine(what: string, perSecond: number, target: number | null): Line {
  const written = (rate: number): string => `${rate.toLocaleString('en')}/s`;
  return {
    what,
    value: written(perSecond),
    target: target === null ? '' : `at least ${written(target)}`,
    met: target === null ? null : perSecond >= target,
  };
}

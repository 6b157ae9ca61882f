// The contract: rollouts of environments that let a policy play by themselves.
import { describe, expect, it } from 'vitest';
import type { Rollout, RolloutRequest } from '../environment.ts';
import { evidenceIssues } from './events.ts';
import { type Bench, collected, listed } from './fixture.ts';

export function playing(bench: Bench): void {
  describe('letting a policy play', () => {
    const play = async (change: Partial<RolloutRequest> = {}): Promise<Rollout[] | undefined> => {
      const { generate, start, rollout } = bench.environment();
      if (rollout === undefined) return undefined;
      const { tasks } = await collected(generate({ configuration: start, split: 'train', count: 6, seed: 'played' }));
      return listed(rollout({ tasks, samples: 3, policy: { name: 'any' }, seed: 'a', ...change }));
    };

    it('every task is tried as often as asked for, in order, and becomes evidence', async () => {
      const rollouts = await play();
      if (rollouts === undefined) return;
      expect(rollouts.map(({ sample }) => sample)).toEqual(Array.from({ length: 18 }, (_, i) => i % 3));
      expect(new Set(rollouts.map(({ task }) => task.id)).size).toBe(6);
      const { descriptor } = bench.environment();
      for (const rollout of rollouts) expect(evidenceIssues(descriptor, 'train', rollout, rollout.verdict)).toEqual([]);
    });

    it('the same seed gives the same rollouts', async () => {
      expect(await play()).toEqual(await play());
    });

    it('what it says of an answer is what it judges of it', async () => {
      const rollouts = await play();
      if (rollouts === undefined) return;
      const verdicts = await listed(bench.environment().judge(rollouts));
      expect(rollouts.map(({ verdict }) => verdict)).toEqual(verdicts);
    });
  });
}

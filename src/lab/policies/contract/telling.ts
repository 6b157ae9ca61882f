// The contract: what a policy says of itself and of its plans, and that events can hold it.
import { describe, expect, it } from 'vitest';
import type { Planned, Spoken } from '../policy.ts';
import { issuesOf } from './events.ts';
import { type Bench, plansOf } from './fixture.ts';

export function telling(bench: Bench): void {
  const planned = (): Promise<Planned[]> => plansOf(bench.policy(), { tasks: bench.tasks(), samples: 2 });

  describe('telling', () => {
    it('what it is and the snapshot it plans with may stand in the event of a training', () => {
      const { component, checkpoint } = bench.policy();
      expect(issuesOf('TrainingRecorded', { policy: component, checkpoint })).toEqual([]);
    });

    it('plans survive being written down', async () => {
      const all = await planned();
      expect(JSON.parse(JSON.stringify(all))).toEqual(all);
    });

    it('where there is no answer for a fault, there is none', async () => {
      for (const { fault, answer } of await planned()) if (fault !== undefined) expect(answer).toBe(null);
    });

    it('how sure it is lies where probabilities allow it', async () => {
      for (const { sureness } of await planned()) {
        if (sureness === undefined) continue;
        const { logProbability, entropy, value = 0 } = sureness;
        expect(logProbability).toBeLessThanOrEqual(0);
        expect(entropy).toBeGreaterThanOrEqual(0);
        for (const number of [logProbability, entropy, value]) expect(Number.isFinite(number)).toBe(true);
      }
    });

    it('how many agentSteps a plan took, and what was measured, may stand in the event of a rollout', async () => {
      for (const { agentSteps, measured } of await planned()) {
        const told = {
          ...(agentSteps === undefined ? {} : { agentSteps }),
          ...(measured === undefined ? {} : { measured }),
        };
        const rollout = { environment: 'any', split: 'probe', policy: 'any', outcome: 'any', ...told };
        expect(issuesOf('RolloutRecorded', rollout)).toEqual([]);
      }
    });

    it('what it said may be recorded as the answer of a model, each once', async () => {
      const spoken = (await planned()).flatMap(({ spoken }) => (spoken === undefined ? [] : [spoken]));
      for (const said of spoken) expect(issuesOf('ModelAnswered', answerOf(said))).toEqual([]);
      expect(new Set(spoken.map(({ key }) => key)).size).toBe(spoken.length);
    });
  });
}

function answerOf({ prompt, completion, reasoning, ...said }: Spoken): object {
  const aloud = reasoning === undefined ? {} : { reasoning: { text: reasoning } };
  return { ...said, prompt: { text: prompt }, answer: { text: completion }, ...aloud };
}

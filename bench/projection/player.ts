// A simulated policy: its rollouts are sampled from prepared attempts, with the success rate of its skill.
import type { Sureness, Task } from '../../src/lab/environments/environment.ts';
import type { Evaluated } from '../../src/lab/evaluation/judged.ts';
import type { Checkpoint, Policy, PolicyComponent } from '../../src/lab/policies/policy.ts';
import { Random } from '../../src/lab/random.ts';
import type { Attempts } from './attempts.ts';
import type { Skill } from './skill.ts';

export interface Player {
  readonly component: PolicyComponent;
  readonly checkpoint: Checkpoint | null;
  readonly attempts: Attempts;
  readonly skill: Skill;
}

/** Its best answer is right more often than its samples. */
const greedyGain = 0.15;

export function play(
  { attempts, skill }: Player,
  task: Task,
  sample: number,
  greedy: boolean,
  random: Random,
): Evaluated {
  const drawn = skill.rate(task.family);
  const rate = greedy ? drawn + greedyGain * (1 - drawn) : drawn;
  const { planned, verdict } = attempts.draw(task, rate, random);
  return { planned: { ...planned, task, sample, sureness: surenessOf(rate, random) }, verdict };
}

function surenessOf(rate: number, random: Random): Sureness {
  return {
    logProbability: -0.2 - 2 * random.fraction() * (1 - rate),
    entropy: 0.3 + random.fraction(),
    value: rate * (0.8 + 0.4 * random.fraction()),
  };
}

/** The same as a policy port. Its plans are judged already. */
export function asPolicy(player: Player): Policy {
  const { component, checkpoint } = player;
  return {
    component,
    checkpoint,
    async *plan({ tasks, samples = 1, greedy = false, seed }) {
      const random = new Random(seed, 'playing');
      for await (const task of tasks) {
        for (let sample = 0; sample < samples; sample++) {
          const { planned, verdict } = play(player, task, sample, greedy, random);
          yield { ...planned, verdict };
        }
      }
    },
    close: async () => {},
  };
}

// The invented policy: what it plays is drawn from tries that were made before, as often right as its skill says.
import type { Task } from '../../src/lab/environments/environment.ts';
import type { Evaluated } from '../../src/lab/evaluation/judged.ts';
import type { Checkpoint, Policy, PolicyComponent, Sureness } from '../../src/lab/policies/policy.ts';
import { Random } from '../../src/lab/random.ts';
import type { Attempts } from './attempts.ts';
import type { Skill } from './skill.ts';

export interface Player {
  readonly component: PolicyComponent;
  readonly checkpoint: Checkpoint | null;
  readonly attempts: Attempts;
  readonly skill: Skill;
}

/** Its best guess is right more often than what it draws. */
const greedyGain = 0.15;

export function play(
  { attempts, skill }: Player,
  task: Task,
  sample: number,
  greedy: boolean,
  luck: Random,
): Evaluated {
  const drawn = skill.rate(task.family);
  const rate = greedy ? drawn + greedyGain * (1 - drawn) : drawn;
  const { planned, verdict } = attempts.draw(task, rate, luck);
  return { planned: { ...planned, task, sample, sureness: surenessOf(rate, luck) }, verdict };
}

function surenessOf(rate: number, luck: Random): Sureness {
  return {
    logProbability: -0.2 - 2 * luck.fraction() * (1 - rate),
    entropy: 0.3 + luck.fraction(),
    value: rate * (0.8 + 0.4 * luck.fraction()),
  };
}

/** The same as a policy that others can ask. Its plans are judged already. */
export function asPolicy(player: Player): Policy {
  const { component, checkpoint } = player;
  return {
    component,
    checkpoint,
    async *plan({ tasks, samples = 1, greedy = false, seed }) {
      const luck = new Random(seed, 'playing');
      for await (const task of tasks) {
        for (let sample = 0; sample < samples; sample++) {
          const { planned, verdict } = play(player, task, sample, greedy, luck);
          yield { ...planned, verdict };
        }
      }
    },
    close: async () => {},
  };
}

// Trains the walker with GRPO: several walks through one room are compared with one another, and the reward is 1 for a
// room that was passed.
import { defineTrainer, type Random } from '../../src/library/plugins/index.ts';
import { drillEntry } from './entries.ts';
import type { DungeonConfiguration } from './environment.ts';
import { type Family, familyNames, roomFor } from './rooms.ts';
import { addGradient, untrained, type Weights, walk, weightsSchema } from './walker.ts';

/** Rooms of an update, and walks through each. */
const rooms = 48;
const walks = 8;

export const drill = defineTrainer<Weights, 'rate', DungeonConfiguration>({
  ...drillEntry,
  state: weightsSchema,
  begin: untrained,
  update({ state: weights, configuration, hyperparameters: { rate }, random }) {
    const { families, world } = configuration;
    const gradient = weights.map(() => 0);
    let agentSteps = 0;
    const groups = Array.from({ length: rooms }, () => {
      const family = drawnFamily(families, random);
      const room = roomFor({ family, knobs: families[family], world, random });
      const tries = Array.from({ length: walks }, () => walk(weights, room, random));
      const rewards = tries.map(({ isThrough }) => Number(isThrough));
      const valid = rewards.reduce((sum, one) => sum + one, 0);
      const mean = valid / walks;
      const deviation = Math.sqrt(mean * (1 - mean));
      for (const [i, one] of tries.entries()) {
        agentSteps += Math.max(one.choices.length, 1);
        if (deviation > 0) addGradient(gradient, one, ((rewards[i] ?? 0) - mean) / deviation / walks);
      }
      return { family, rewards, valid };
    });
    return { state: weights.map((weight, i) => weight + rate * (gradient[i] ?? 0)), agentSteps, groups };
  },
});

/** With a probability equal to its share. */
function drawnFamily(families: DungeonConfiguration['families'], random: Random): Family {
  let rest = random.fraction();
  for (const family of familyNames) {
    rest -= families[family].share;
    if (rest < 0) return family;
  }
  return familyNames[0] as Family;
}

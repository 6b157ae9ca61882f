// The policy that walks through rooms: a softmax over actions that is linear in what it sees. It sees the hazard with the
// phase it is in, the phase alone, and that there is a hazard. The last two are the same for all hazards, so that training
// on one changes what the policy does at the others.
import { z } from 'zod';
import type { PlayResult, Random } from '../../src/library/plugins/index.ts';
import { type Action, actions, type Hazard, hazardNames, hazards, phases, type Room } from './rooms.ts';

const choices = Object.values(actions);
const seen = hazardNames.length * phases;
const features = seen + phases + 1;
/** The activation of the features that hazards share; each hazard's own has 1. */
const shared = 0.3;

export const weightsSchema = z.array(z.number()).length(features * choices.length);

export type Weights = z.infer<typeof weightsSchema>;

export function untrained(): Weights {
  return Array.from({ length: features * choices.length }, () => 0);
}

/** The offsets of the weights of each situation: its own, its phase's and those for any hazard. */
function offsetsOf(situation: number): readonly [own: number, phase: number, any: number] {
  const many = choices.length;
  return [situation * many, (seen + (situation % phases)) * many, (seen + phases) * many];
}

function probabilities(weights: Weights, situation: number): number[] {
  const [own, phase, any] = offsetsOf(situation);
  const scores = choices.map((_, i) => {
    const common = (weights[phase + i] ?? 0) + (weights[any + i] ?? 0);
    return (weights[own + i] ?? 0) + shared * common;
  });
  const most = Math.max(...scores);
  const raised = scores.map((score) => Math.exp(score - most));
  const sum = raised.reduce((all, one) => all + one, 0);
  return raised.map((one) => one / sum);
}

/** One decision: what the policy saw and which action it chose, with their probabilities. */
interface Choice {
  readonly situation: number;
  readonly chosen: number;
  readonly chances: readonly number[];
}

interface Try {
  readonly answer: string;
  readonly isThrough: boolean;
  readonly choices: readonly Choice[];
}

/** One walk through a room; it ends with the first wrong action. */
export function walk(weights: Weights, room: Room, random: Random): Try {
  const made: Choice[] = [];
  let answer = '';
  for (const hazard of room.hazards) {
    for (const [phase, right] of hazards[hazard].passes.entries()) {
      const choice = chosenIn(weights, situationOf(hazard, phase), random);
      made.push(choice);
      const action = choices[choice.chosen] as Action;
      answer += action;
      if (action !== right) return { answer, isThrough: false, choices: made };
    }
  }
  return { answer, isThrough: true, choices: made };
}

/** Means over its choices; a walk without any is certain. */
export function surenessOf(made: readonly Choice[]): NonNullable<PlayResult['sureness']> {
  const mean = (of: (choice: Choice) => number): number =>
    made.reduce((sum, choice) => sum + of(choice), 0) / Math.max(made.length, 1);
  return {
    logProbability: mean(({ chances, chosen }) => Math.log(chances[chosen] ?? 1)),
    entropy: mean(({ chances }) => -chances.reduce((sum, chance) => sum + chance * Math.log(chance), 0)),
  };
}

function situationOf(hazard: Hazard, phase: number): number {
  return hazardNames.indexOf(hazard) * phases + phase;
}

function chosenIn(weights: Weights, situation: number, random: Random): Choice {
  const chances = probabilities(weights, situation);
  let rest = random.fraction();
  const chosen = chances.findIndex((chance) => {
    rest -= chance;
    return rest < 0;
  });
  return { situation, chosen: chosen === -1 ? chances.length - 1 : chosen, chances };
}

/** Adds the policy gradient of one walk, weighted by its advantage, to `gradient`. */
export function addGradient(gradient: number[], walked: Try, advantage: number): void {
  for (const { situation, chosen, chances } of walked.choices) {
    const [own, phase, any] = offsetsOf(situation);
    chances.forEach((chance, i) => {
      const change = advantage * ((i === chosen ? 1 : 0) - chance);
      gradient[own + i] = (gradient[own + i] ?? 0) + change;
      gradient[phase + i] = (gradient[phase + i] ?? 0) + shared * change;
      gradient[any + i] = (gradient[any + i] ?? 0) + shared * change;
    });
  }
}

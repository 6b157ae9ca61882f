// The floor: every agent walks at random, as likely into a hole or off the grid as anywhere else, until it happens to
// stand on its goal or may not walk any further. So walks a network that has learnt nothing.
import { type Agent, horizonOf, type Instance, nowhere } from '../../lake/instance.ts';
import { type Moves, moveFrom, moveLetters } from '../../lake/plan.ts';
import type { Random } from '../../random.ts';
import type { Policy } from '../policy.ts';
import { scripted } from './scripted.ts';

const choices = moveLetters.length;

/** To it all moves are alike, so that a greedy plan is drawn like any other. */
export function randomPolicy(): Policy {
  const policy = scripted('random', (lake, luck) => {
    const answer = lake.agents.map((agent) => walk(agent, lake, luck));
    const agentSteps = answer.reduce((sum, { length }) => sum + length, 0);
    return { answer, agentSteps, sureness: { logProbability: -Math.log(choices), entropy: Math.log(choices) } };
  });
  return { ...policy, canBeGreedy: false };
}

function walk({ start, goal }: Agent, { size }: Instance, luck: Random): Moves {
  const longest = horizonOf(size);
  let moves = '';
  for (let at = start; at !== goal && moves.length < longest; ) {
    const move = luck.below(choices);
    moves += moveLetters[move];
    const next = moveFrom(at, moveLetters.charCodeAt(move), size);
    if (next !== nowhere) at = next;
  }
  return moves;
}

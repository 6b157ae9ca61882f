// What comes of nobody minding the others: every agent takes a shortest way round the holes to its own goal, one of them
// by luck where there are several.
import type { Cell } from '../../lake/instance.ts';
import { type Moves, moveLetters } from '../../lake/plan.ts';
import { Terrain, unreachable } from '../../lake/solver/terrain.ts';
import type { Random } from '../../random.ts';
import type { Policy } from '../policy.ts';
import { scripted } from './scripted.ts';

/** Greedy plans take the first of several moves in the order of the letters. An agent that has no way stays. */
export function greedyPolicy(): Policy {
  const terrain = new Terrain();
  return scripted('greedy', (lake, luck, greedy) => {
    terrain.load(lake);
    const answer = lake.agents.map(({ start }, agent) => descent(terrain, agent, start, greedy ? null : luck));
    return { answer, agentSteps: answer.reduce((sum, { length }) => sum + length, 0) };
  });
}

function descent(terrain: Terrain, agent: number, start: Cell, luck: Random | null): Moves {
  const { toGoal, cells, neighbours } = terrain;
  const distance = (cell: Cell): number => toGoal[agent * cells + cell] as number;
  if (distance(start) === unreachable) return '';
  let moves = '';
  for (let at = start; distance(at) > 0; ) {
    const nearer = [0, 1, 2, 3].filter((move) => {
      const next = neighbours[4 * at + move] as Cell;
      return next >= 0 && distance(next) < distance(at);
    });
    const move = nearer[luck === null ? 0 : luck.below(nearer.length)] as number;
    moves += moveLetters[move];
    at = neighbours[4 * at + move] as Cell;
  }
  return moves;
}

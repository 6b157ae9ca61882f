// A way, cell by cell, as the letters of its moves.
import type { Moves } from '../plan.ts';

export function movesOf(way: Int16Array, size: number): Moves {
  let moves = '';
  for (let i = 1; i < way.length; i++) {
    const by = (way[i] as number) - (way[i - 1] as number);
    moves += by === 0 ? 'W' : by === -size ? 'U' : by === size ? 'D' : by < 0 ? 'L' : 'R';
  }
  return moves;
}

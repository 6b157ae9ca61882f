// How to read a drawing in letters and the plan below it. Apart from the drawings, because a plugin is cheap to load.
export const drawingLegend =
  'a: an agent, A: its goal, ░: a hole. Moves: U up, D down, L left, R right, W wait; [ ]: the move that fails.';

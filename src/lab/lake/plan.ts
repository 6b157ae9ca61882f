// A joint plan: for every agent the moves it makes, step by step, all agents at the same time. An agent whose moves are
// at an end stays where it is.

/** Up, down, left, right, wait; one letter a step. */
export type Moves = string;

/** One text of moves an agent, in the order of the instance's agents. */
export type Plan = readonly Moves[];

export const moveLetters = 'UDLRW';

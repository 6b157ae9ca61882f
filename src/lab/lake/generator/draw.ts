// Draws lakes at random: holes, starts and goals, every arrangement as likely as any other in which no agent starts on
// its own goal. Most of what is drawn is thrown away, so a draw costs little more than its random numbers.
import type { Random } from '../../random.ts';
import type { Agent, Cell, Instance } from '../instance.ts';
import type { Kind } from './kind.ts';

export class Draw {
  readonly #kind: Kind;
  /** All cells: holes first, then those that agents start on or want to be on. */
  readonly #cells: Int16Array;
  readonly #inOrder: Int16Array;
  readonly #starts: Int16Array;

  /** The kind has room. */
  constructor(kind: Kind) {
    this.#kind = kind;
    this.#inOrder = Int16Array.from({ length: kind.size ** 2 }, (_, cell) => cell);
    this.#cells = this.#inOrder.slice();
    this.#starts = new Int16Array(kind.agents);
  }

  /** Whether the agents can reach their goals, and whether they need to wait, is left to chance. */
  instance(random: Random): Instance {
    const { size, agents, holes } = this.#kind;
    const cells = this.#cells;
    cells.set(this.#inOrder);
    shuffle(random, cells, 0, holes);
    const isHole = new Uint8Array(size * size);
    for (let i = 0; i < holes; i++) isHole[cells[i] as Cell] = 1;
    shuffle(random, cells, holes, agents);
    for (let agent = 0; agent < agents; agent++) this.#starts[agent] = cells[holes + agent] as Cell;
    do shuffle(random, cells, holes, agents);
    while (this.#anyAtHome());
    const list: Agent[] = [];
    for (let agent = 0; agent < agents; agent++) {
      list.push({ start: this.#starts[agent] as Cell, goal: cells[holes + agent] as Cell });
    }
    return { size, holes: isHole, agents: list };
  }

  #anyAtHome(): boolean {
    const { agents, holes } = this.#kind;
    for (let agent = 0; agent < agents; agent++) if (this.#starts[agent] === this.#cells[holes + agent]) return true;
    return false;
  }
}

/** Puts `count` random ones of the cells from `first` on there. */
function shuffle(random: Random, cells: Int16Array, first: number, count: number): void {
  for (let i = first; i < first + count; i++) {
    const j = i + random.below(cells.length - i);
    const cell = cells[i] as Cell;
    cells[i] = cells[j] as Cell;
    cells[j] = cell;
  }
}

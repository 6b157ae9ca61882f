// Makes instances of a kind: draws until one is solvable, needs a wait as requested, and belongs to the split. All matching instances are
// equally likely, except those on which the solver gives up, which are very rare with up to five agents. The draws for a slot depend only
// on the seed and the slot, so slots can be filled in any order, and all configurations share the instances of a kind.
import { Random, type Split } from '../../../src/library/plugins/tools.ts';
import { type Agent, type Cell, digestOf, type Instance, smallestSize, symmetryDigestOf } from '../instance.ts';
import { Solver } from '../solver/solver.ts';
import { type Kind, type Slot, whyNone } from './orders.ts';

export interface Made {
  readonly instance: Instance;
  readonly kind: Kind;
  readonly digest: string;
  /** Equal for instances that are the same up to rotation, reflection and renumbering of agents. */
  readonly symmetryDigest: string;
  /** Of an optimal plan. */
  readonly cost: number;
}

/**
 * A slot is given up after this number of draws: the kind does not exist, or is too rare. A small split needs more draws for the same
 * number of members.
 */
export function maxDraws(split: Split): number {
  return Math.round(5000 / shareOf(split));
}

/** The total work of the solver is limited as well: nearly full lakes are hard, and rarely solvable. */
const maxWork = 100_000_000;

/**
 * What was made for the pools: they are the same for all runs, and a process asks for them again for each of its runs. Training data is never
 * asked for twice.
 */
const remembered = new Map<string, Made | null>();
const mostRemembered = 10_000;

export class Maker {
  readonly #solver = new Solver();
  readonly #seed: string;
  readonly #split: Split;

  constructor(seed: string, split: Split) {
    this.#seed = seed;
    this.#split = split;
  }

  /** Null if no instance outside of `taken` (symmetry digests) was found. */
  make(slot: Slot, taken?: ReadonlySet<string>): Made | null {
    if (whyNone(slot.kind) !== null) return null;
    if (this.#split === 'train') return this.#drawn(slot, taken).made;
    const key = JSON.stringify([this.#seed, this.#split, slot]);
    const known = remembered.get(key);
    if (known === null || (known !== undefined && taken?.has(known.symmetryDigest) !== true)) return known;
    const { made, isFirst } = this.#drawn(slot, taken);
    if (isFirst && remembered.size < mostRemembered) remembered.set(key, made);
    return made;
  }

  /** `isFirst`: it would be the same if nothing was taken. */
  #drawn({ kind, ordinal, standsIn }: Slot, taken?: ReadonlySet<string>): { made: Made | null; isFirst: boolean } {
    const { size, agents, holes, needsWait } = kind;
    const purpose = [this.#split, size, agents, holes, needsWait ? 'wait' : 'no wait', ordinal];
    const random = new Random(this.#seed, 'lake', ...purpose, ...(standsIn === true ? ['stands in'] : []));
    const draw = new Draw(kind);
    // The smallest lakes are so few that most draws repeat a rejected one, which counts as the same work again.
    const rejected = size === smallestSize ? new Map<number, number>() : undefined;
    let isFirst = true;
    let work = 0;
    for (let left = maxDraws(this.#split); left > 0 && work < maxWork; left--) {
      const instance = draw.instance(random);
      const again = rejected?.get(arrangementOf(instance));
      if (again !== undefined) {
        work += again;
        continue;
      }
      const { made, isTaken, spent } = this.#judged(instance, kind, taken);
      if (made !== null && !isTaken) return { made, isFirst };
      if (made !== null) isFirst = false;
      work += spent;
      rejected?.set(arrangementOf(instance), spent);
    }
    return { made: null, isFirst };
  }

  /** `spent`: the work of the solver, if the instance is not taken. */
  #judged(
    instance: Instance,
    kind: Kind,
    taken?: ReadonlySet<string>,
  ): { made: Made | null; isTaken: boolean; spent: number } {
    // Cheaper than checking the kind, and rejects most draws.
    const symmetryDigest = symmetryDigestOf(instance);
    if (poolOf(symmetryDigest) !== this.#split) return { made: null, isTaken: false, spent: 0 };
    const isTaken = taken?.has(symmetryDigest) === true;
    const before = this.#solver.work;
    const cost = this.#fittingCost(instance, kind);
    const spent = isTaken ? 0 : this.#solver.work - before;
    const made = cost === null ? null : { instance, kind, digest: digestOf(instance), symmetryDigest, cost };
    return { made, isTaken, spent };
  }

  /** The cost of an optimal plan; null without a plan, for another kind, or if the solver gave up. */
  #fittingCost(instance: Instance, { needsWait }: Kind): number | null {
    const solution = this.#solver.solve(instance);
    if (solution.solvable !== true) return null;
    return this.#solver.needsWait(instance, solution.cost) === needsWait ? solution.cost : null;
  }
}

/** A number that is different for every arrangement of one kind in the smallest size. */
function arrangementOf({ size, holes, agents }: Instance): number {
  let number = 0;
  for (const isHole of holes) number = 2 * number + isHole;
  for (const { start, goal } of agents) number = (number * size ** 2 + start) * size ** 2 + goal;
  return number;
}

// Draws lakes at random: holes, starts and goals, uniform over all arrangements in which no agent starts on its own goal. Most draws are
// rejected, so a draw costs little more than its random numbers.

export class Draw {
  readonly #kind: Kind;
  /** All cells: holes first, then starts and goals. */
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

  /** Whether agents can reach their goals, and whether they need to wait, is random. */
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
    while (this.#anyAtGoal());
    const list: Agent[] = [];
    for (let agent = 0; agent < agents; agent++) {
      list.push({ start: this.#starts[agent] as Cell, goal: cells[holes + agent] as Cell });
    }
    return { size, holes: isHole, agents: list };
  }

  #anyAtGoal(): boolean {
    const { agents, holes } = this.#kind;
    for (let agent = 0; agent < agents; agent++) if (this.#starts[agent] === this.#cells[holes + agent]) return true;
    return false;
  }
}

/** Moves `count` random cells of those from `first` on to that position. */
function shuffle(random: Random, cells: Int16Array, first: number, count: number): void {
  for (let i = first; i < first + count; i++) {
    const j = i + random.below(cells.length - i);
    const cell = cells[i] as Cell;
    cells[i] = cells[j] as Cell;
    cells[j] = cell;
  }
}

// The split of an instance depends only on its content, up to rotation and reflection, so that splits never share an instance, whatever
// was generated.

/** In parts of 16. Small lakes are few, and the test split needs enough of them for suites without repetition. */
const pools: readonly (readonly [split: Split, parts: number])[] = [
  ['train', 7],
  ['validation', 2],
  ['probe', 2],
  ['probe-holdout', 1],
  ['test', 4],
];

const byDigit: readonly Split[] = pools.flatMap(([split, parts]) => Array.from({ length: parts }, () => split));

/** The approximate share of all instances in a split. */
export function shareOf(split: Split): number {
  return byDigit.filter((pool) => pool === split).length / byDigit.length;
}

/** `symmetryDigest` is a SHA-256 in hexadecimal: its first digit decides. */
export function poolOf(symmetryDigest: string): Split {
  return byDigit[Number.parseInt(symmetryDigest.charAt(0), 16)] as Split;
}

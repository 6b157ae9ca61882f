// Makes instances of a kind: draws until one is solvable, needs a wait or does not, as asked, and lies in the pool. All
// that fit are equally likely, save those on which the solver gives up: with up to five agents, hardly any. What is drawn for a slot depends on the seed and the slot alone, so that slots can be
// filled in any order, and one configuration's instances of a kind are those of another.
import { Random, type Split } from '../../../src/library/plugins/tools.ts';
import { type Agent, type Cell, digestOf, type Instance, symmetryDigestOf } from '../instance.ts';
import { Solver } from '../solver/solver.ts';
import { type Kind, type Slot, whyNone } from './orders.ts';

export interface Made {
  readonly instance: Instance;
  readonly kind: Kind;
  readonly digest: string;
  /** Equal for instances that are the same turned, mirrored or with agents renumbered. */
  readonly symmetryDigest: string;
  /** Of an optimal plan. */
  readonly cost: number;
}

/**
 * A slot is given up when so many draws brought nothing: there is none of the kind left, or hardly any. In a small pool it
 * takes more draws to come by as many that belong to it.
 */
export function mostDraws(split: Split): number {
  return Math.round(5000 / shareOf(split));
}

/** Nor may all its draws together take the solver longer: lakes that are nearly full are hard, and hardly ever solvable. */
const mostWork = 100_000_000;

export class Maker {
  readonly #solver = new Solver();
  readonly #seed: string;
  readonly #split: Split;

  constructor(seed: string, split: Split) {
    this.#seed = seed;
    this.#split = split;
  }

  /** Null where none was found that is not among `taken` (symmetry digests). */
  make({ kind, ordinal, standsIn }: Slot, taken?: ReadonlySet<string>): Made | null {
    if (whyNone(kind) !== null) return null;
    const { size, agents, holes, needsWait } = kind;
    const purpose = [this.#split, size, agents, holes, needsWait ? 'wait' : 'no wait', ordinal];
    const random = new Random(this.#seed, 'lake', ...purpose, ...(standsIn === true ? ['stands in'] : []));
    const draw = new Draw(kind);
    const limit = this.#solver.work + mostWork;
    for (let left = mostDraws(this.#split); left > 0 && this.#solver.work < limit; left--) {
      const made = this.#judged(draw.instance(random), kind, taken);
      if (made !== null) return made;
    }
    return null;
  }

  #judged(instance: Instance, kind: Kind, taken?: ReadonlySet<string>): Made | null {
    // This is told sooner than whether an instance is of the kind, and most draws end here.
    const symmetryDigest = symmetryDigestOf(instance);
    if (poolOf(symmetryDigest) !== this.#split || taken?.has(symmetryDigest) === true) return null;
    const cost = this.#fittingCost(instance, kind);
    return cost === null ? null : { instance, kind, digest: digestOf(instance), symmetryDigest, cost };
  }

  /** The cost of an optimal plan; null where there is none, where it is not of the kind, or where the solver gave up. */
  #fittingCost(instance: Instance, { needsWait }: Kind): number | null {
    const solution = this.#solver.solve(instance);
    if (solution.solvable !== true) return null;
    return this.#solver.needsWait(instance, solution.cost) === needsWait ? solution.cost : null;
  }
}

// Draws lakes at random: holes, starts and goals, every arrangement as likely as any other in which no agent starts on
// its own goal. Most of what is drawn is thrown away, so a draw costs little more than its random numbers.

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

/** Puts `count` random ones of the cells from `first` on there. */
function shuffle(random: Random, cells: Int16Array, first: number, count: number): void {
  for (let i = first; i < first + count; i++) {
    const j = i + random.below(cells.length - i);
    const cell = cells[i] as Cell;
    cells[i] = cells[j] as Cell;
    cells[j] = cell;
  }
}

// Which pool an instance belongs to: decided by what it is, turned and mirrored alike, so that no two pools ever share
// one, whatever was generated with whatever seed.

/** Of 16 parts of all instances. Small lakes are few: the test pool needs enough of them for suites without repetition. */
const pools: readonly (readonly [split: Split, parts: number])[] = [
  ['train', 7],
  ['validation', 2],
  ['probe', 2],
  ['probe-holdout', 1],
  ['test', 4],
];

const byDigit: readonly Split[] = pools.flatMap(([split, parts]) => Array.from({ length: parts }, () => split));

/** Which share of all instances a pool has, give or take. */
export function shareOf(split: Split): number {
  return byDigit.filter((pool) => pool === split).length / byDigit.length;
}

/** `symmetryDigest` is a SHA-256 in hexadecimal: its first digit decides. */
export function poolOf(symmetryDigest: string): Split {
  return byDigit[Number.parseInt(symmetryDigest.charAt(0), 16)] as Split;
}

// The optimum of a small lake by exhaustive search: through all joint states in order of cost, without distances, bounds or conflicts. It
// is the reference for the solver, so it shares no code with it. A joint state is the position of every agent and which of them have
// finally arrived; there are finitely many, so it always ends.
import type { Cell, Instance } from '../instance.ts';
import type { Plan } from '../plan.ts';

interface Optimum {
  /** The sum of the steps of final arrival. */
  readonly cost: number;
  /** A plan of this cost; every text ends with its agent's final arrival. */
  readonly plan: Plan;
  /** Every plan of this cost has an agent that waits before its final arrival. */
  readonly needsWait: boolean;
}

/** Null: no joint plan exists, of any length. */
export function exhaustive(instance: Instance): Optimum | null {
  const best = new Search(instance, { mayWait: true }).run();
  if (best === null) return null;
  const withoutWaits = new Search(instance, { mayWait: false }).run();
  return { ...best, needsWait: withoutWaits === null || withoutWaits.cost > best.cost };
}

/** A joint state as a number: the set of arrived agents above the cells, one digit per agent. */
type State = number;

const unreached = 2 ** 31 - 1;

class Search {
  readonly #instance: Instance;
  readonly #ways: readonly (readonly Cell[])[];
  /** The number of possible cells per agent, and of their combinations. */
  readonly #cells: number;
  readonly #standings: number;
  readonly #costs: Int32Array;
  readonly #before: Int32Array;
  /** By cost: the states reached at it. */
  readonly #buckets: State[][] = [];

  constructor(instance: Instance, { mayWait }: { readonly mayWait: boolean }) {
    this.#instance = instance;
    this.#ways = waysOf(instance, mayWait);
    this.#cells = instance.size ** 2;
    this.#standings = this.#cells ** instance.agents.length;
    const states = this.#standings * 2 ** instance.agents.length;
    this.#costs = new Int32Array(states).fill(unreached);
    this.#before = new Int32Array(states);
  }

  run(): { readonly cost: number; readonly plan: Plan } | null {
    const { agents } = this.#instance;
    const first = this.#stateOf(
      agents.map(({ start }) => start),
      0,
    );
    const everyone = 2 ** agents.length - 1;
    this.#reach(first, 0, first);
    for (let cost = 0; cost < this.#buckets.length; cost++) {
      // An arrival costs nothing and is added to the bucket that is being traversed.
      for (const state of this.#buckets[cost] ?? []) {
        if (this.#costs[state] !== cost) continue;
        if (this.#arrivedIn(state) === everyone) return { cost, plan: this.#planTo(state) };
        this.#arrive(state, cost);
        this.#step(state, cost);
      }
    }
    return null;
  }

  /** Any agent on its goal may decide to stay forever. */
  #arrive(state: State, cost: number): void {
    const standing = this.#standingIn(state);
    const arrived = this.#arrivedIn(state);
    this.#instance.agents.forEach(({ goal }, agent) => {
      if (has(arrived, agent) || standing[agent] !== goal) return;
      this.#reach(this.#stateOf(standing, arrived + 2 ** agent), cost, state);
    });
  }

  /** All other agents move at the same time, in every possible way, at a cost of one each. */
  #step(state: State, cost: number): void {
    const standing = this.#standingIn(state);
    const arrived = this.#arrivedIn(state);
    const paying = standing.filter((_, agent) => !has(arrived, agent)).length;
    const next: Cell[] = [];
    const choose = (agent: number): void => {
      if (agent === standing.length) {
        this.#reach(this.#stateOf(next, arrived), cost + paying, state);
        return;
      }
      const from = standing[agent] as Cell;
      for (const to of has(arrived, agent) ? [from] : (this.#ways[from] ?? [])) {
        if (collides(standing, next, agent, to)) continue;
        next[agent] = to;
        choose(agent + 1);
      }
    };
    choose(0);
  }

  #reach(state: State, cost: number, before: State): void {
    if (cost >= (this.#costs[state] as number)) return;
    this.#costs[state] = cost;
    this.#before[state] = before;
    while (this.#buckets.length <= cost) this.#buckets.push([]);
    this.#buckets[cost]?.push(state);
  }

  #planTo(last: State): Plan {
    const texts = this.#instance.agents.map(() => '');
    for (let state = last; this.#before[state] !== state; state = this.#before[state] as State) {
      const before = this.#before[state] as State;
      const arrived = this.#arrivedIn(state);
      if (this.#arrivedIn(before) !== arrived) continue;
      const from = this.#standingIn(before);
      this.#standingIn(state).forEach((to, agent) => {
        if (has(arrived, agent)) return;
        texts[agent] = this.#letterOf(from[agent] as Cell, to) + texts[agent];
      });
    }
    return texts;
  }

  #letterOf(from: Cell, to: Cell): string {
    if (to === from) return 'W';
    if (to === from + 1) return 'R';
    if (to === from - 1) return 'L';
    return to > from ? 'D' : 'U';
  }

  #stateOf(standing: readonly Cell[], arrived: number): State {
    return standing.reduceRight((digits, cell) => digits * this.#cells + cell, arrived);
  }

  #standingIn(state: State): Cell[] {
    return this.#instance.agents.map((_, agent) => Math.floor(state / this.#cells ** agent) % this.#cells);
  }

  #arrivedIn(state: State): number {
    return Math.floor(state / this.#standings);
  }
}

/** By cell: the cells that an agent can reach in one step, ignoring others. */
function waysOf({ size, holes }: Instance, mayWait: boolean): Cell[][] {
  return Array.from(holes, (_, cell) => {
    const row = Math.floor(cell / size);
    const column = cell % size;
    const ways = mayWait ? [cell] : [];
    if (row > 0) ways.push(cell - size);
    if (row < size - 1) ways.push(cell + size);
    if (column > 0) ways.push(cell - 1);
    if (column < size - 1) ways.push(cell + 1);
    return ways.filter((way) => holes[way] === 0);
  });
}

/** Whether a move of an agent conflicts with an earlier one in the list: on one cell, or by swapping. */
function collides(standing: readonly Cell[], next: readonly Cell[], agent: number, to: Cell): boolean {
  for (let other = 0; other < agent; other++) {
    if (next[other] === to) return true;
    if (next[other] === standing[agent] && to === standing[other]) return true;
  }
  return false;
}

function has(set: number, agent: number): boolean {
  return (set & (2 ** agent)) !== 0;
}

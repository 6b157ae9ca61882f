// The search for the minimal sum of arrival times. A question is a list of arrival times, one per agent: can all arrive within them? The
// first question gives every agent the time it needs alone; the cheapest open question is answered next, so the first yes is optimal. A no
// leads only to questions that its reason does not answer too.

import { Consistency } from './consistency.ts';
import { JointSearch } from './joint.ts';
import { type Frontier, Frontiers } from './pairs.ts';
import { Reservations, SingleSearch } from './reservations.ts';
import { type Terrain, unreachable } from './terrain.ts';

export type Found =
  | { readonly answer: 'found'; readonly cost: number }
  /** There is no plan, or none within the cost limit; if a few agents are the reason, `because` names them. */
  | { readonly answer: 'none'; readonly because: readonly number[] }
  /** The work limit was reached. Every plan costs at least `bound`. */
  | { readonly answer: 'spent'; readonly bound: number };

export class Search {
  readonly #terrain: Terrain;
  readonly #answers: Answers;
  readonly #mayWait: boolean;
  /** Open questions by cost beyond the first one's; the most recent is answered first. */
  #open: Arrivals[][] = [];
  readonly #asked = new Set<string>();
  #alone: Arrivals = [];
  #least = 0;
  #most = 0;
  #level = 0;

  constructor(terrain: Terrain, mayWait: boolean) {
    this.#terrain = terrain;
    this.#mayWait = mayWait;
    this.#answers = new Answers(terrain, mayWait);
  }

  /** The paths of all agents, once found. */
  get ways(): Reservations {
    return this.#answers.ways;
  }

  /** The work since `begin`. */
  get work(): number {
    return this.#answers.work;
  }

  /** For the instance in the terrain. Plans that cost more than `most` are ignored. */
  begin(most: number): void {
    this.#alone = this.#terrain.starts.map((_, agent) => this.#terrain.distance(agent));
    this.#least = sum(this.#alone);
    this.#most = most;
    this.#level = 0;
    this.#open = this.#alone.includes(unreachable) ? [] : [[this.#alone]];
    this.#asked.clear();
    this.#answers.begin(most - this.#least);
  }

  /** Continues until it is done, or until `effort` more work is done. */
  go(effort: number): Found {
    const limit = this.#answers.work + effort;
    for (; this.#level < this.#open.length && this.#least + this.#level <= this.#most; this.#level++) {
      const questions = this.#open[this.#level];
      for (let question = questions?.pop(); question !== undefined; question = questions?.pop()) {
        const answer = this.#answers.to(question, limit);
        if (answer === 'yes') return { answer: 'found', cost: this.#least + this.#level };
        if (answer === 'spent') {
          questions?.push(question);
          return { answer: 'spent', bound: this.#least + this.#level };
        }
        for (const later of answer) this.#ask(later);
      }
    }
    return { answer: 'none', because: this.#reason() };
  }

  #reason(): readonly number[] {
    const alone = this.#alone.indexOf(unreachable);
    return alone >= 0 ? [alone] : (this.#answers.hopeless() ?? [...this.#alone.keys()]);
  }

  #ask(arrivals: Arrivals): void {
    const question = this.#mayWait ? arrivals : this.#even(arrivals);
    const key = question.join();
    if (this.#asked.has(key)) return;
    this.#asked.add(key);
    const level = sum(question) - this.#least;
    if (this.#least + level > this.#most) return;
    const questions = this.#open[level];
    if (questions === undefined) this.#open[level] = [question];
    else questions.push(question);
  }

  /** Without waits, delays are even. */
  #even(arrivals: Arrivals): Arrivals {
    return arrivals.map((arrival, agent) => arrival + ((arrival - (this.#alone[agent] as number)) & 1));
  }
}

// Arrival times, one per agent: a question is whether all can arrive within them. A question answered with no leads to later ones, each of
// which gives an agent just enough more time to remove the reason.

type Arrivals = readonly number[];

/** The next questions after a nogood: one of its members needs more time. */
export function after({ members, tooLittle }: Nogood, arrivals: Arrivals): Arrivals[] {
  return members.map((agent) => arrivals.with(agent, (tooLittle[agent] as number) + 1));
}

/** The next questions after a conflict of two agents; null if their frontier allows the question. */
export function afterPair({ first, second, arrivals: least }: Frontier, arrivals: Arrivals): Arrivals[] | null {
  const [one, other] = [arrivals[first] as number, arrivals[second] as number];
  const later: Arrivals[] = [];
  // The frontier goes from the earliest first arrival to the earliest second one.
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < least.length; i += 2) {
    const [a, b] = [Math.max(one, least[i] as number), Math.max(other, least[i + 1] as number)];
    if (a === one && b === other) return null;
    if (b >= best) continue;
    // With the same first arrival, the later entry needs less time for the second.
    if (later.at(-1)?.[first] === a) later.pop();
    later.push(arrivals.with(first, a).with(second, b));
    best = b;
  }
  return later;
}

export function sum(arrivals: Arrivals): number {
  let total = 0;
  for (const arrival of arrivals) total += arrival;
  return total;
}

// Learned nogoods: some agents cannot all arrive within certain times, whatever the others do. A nogood rules out every question that gives
// those agents no more time.

export interface Nogood {
  readonly members: readonly number[];
  /** By agent; for members, the longest time that is known to be too short. */
  readonly tooLittle: readonly number[];
}

export class Nogoods {
  readonly #learned: Nogood[] = [];

  get count(): number {
    return this.#learned.length;
  }

  forget(): void {
    this.#learned.length = 0;
  }

  add(nogood: Nogood): void {
    this.#learned.push(nogood);
  }

  /** A nogood that rules out these arrivals. */
  against(arrivals: readonly number[]): Nogood | undefined {
    return this.#learned.find(({ members, tooLittle }) =>
      members.every((agent) => (arrivals[agent] as number) <= (tooLittle[agent] as number)),
    );
  }
}

// Answers one question: can all agents arrive within these times? Agents find their paths one after the other; those that block another
// completely are moved together with it. Impossible questions are refuted by the frontier of two agents, or by the consistency of a few,
// which is generalised before it is learned.

/** Yes: every agent has a path. Otherwise the next questions. */
type Answer = 'yes' | 'spent' | readonly Arrivals[];

/** The number of moves to try before checking whether a path can exist. */
const quickLook = 200;

/** How much more time to try as too short for one agent: at most twice this. */
const farthestProbe = 16;

export class Answers {
  readonly #terrain: Terrain;
  readonly #frontiers: Frontiers;
  readonly #single: SingleSearch;
  readonly #consistency: Consistency;
  readonly #joint: JointSearch;
  readonly #nogoods = new Nogoods();
  readonly ways: Reservations;
  #slack = 0;
  /** Whether consistency, not a search for paths, refuted the last group. */
  #isInconsistent = false;

  constructor(terrain: Terrain, mayWait: boolean) {
    this.#terrain = terrain;
    this.ways = new Reservations(terrain);
    this.#frontiers = new Frontiers(terrain, mayWait);
    this.#single = new SingleSearch(terrain, this.ways, mayWait);
    this.#consistency = new Consistency(terrain, mayWait);
    this.#joint = new JointSearch(terrain, this.ways, mayWait);
  }

  get work(): number {
    return this.#frontiers.work + this.#single.work + this.#consistency.work + this.#joint.work;
  }

  /** For the instance in the terrain; `slack` is the maximum delay of an agent. */
  begin(slack: number): void {
    this.#slack = slack;
    this.#frontiers.forget();
    this.#nogoods.forget();
    this.#single.work = 0;
    this.#consistency.work = 0;
    this.#joint.work = 0;
  }

  /** `limit` is the work at which to give up. */
  to(arrivals: Arrivals, limit: number): Answer {
    if (this.work > limit) return 'spent';
    return this.#known(arrivals) ?? this.#assemble(arrivals, limit);
  }

  /** Two agents without a joint path, if known. */
  hopeless(): readonly number[] | null {
    return this.#frontiers.hopeless();
  }

  #known(arrivals: Arrivals): readonly Arrivals[] | null {
    const { agents } = this.#terrain;
    for (let a = 0; a < agents; a++) {
      for (let b = a + 1; b < agents; b++) {
        const frontier = this.#frontiers.known(a, b);
        const later = frontier === undefined ? null : afterPair(frontier, arrivals);
        if (later !== null) return later;
      }
    }
    const nogood = this.#nogoods.against(arrivals);
    return nogood === undefined ? null : after(nogood, arrivals);
  }

  #assemble(arrivals: Arrivals, limit: number): Answer {
    const { ways } = this;
    /** By agent: those it moves together with, including itself, one bit each. */
    const groups: number[] = [];
    ways.clear(Math.max(...arrivals));
    for (let agent = 0; agent < arrivals.length; agent++) {
      ways.blockers = 0;
      let group = 1 << agent;
      this.#isInconsistent = false;
      let found = this.#single.settle(agent, arrivals[agent] as number);
      while (!found) {
        const wider = group | groupsOf(ways.blockers, groups);
        if (wider === group) return this.#refuse(members(group), arrivals);
        for (const member of members(wider & ways.settled)) ways.release(member);
        group = wider;
        const later = this.#pairsIn(group, arrivals);
        if (later !== null) return later;
        const answer = this.#join(members(group), arrivals, limit);
        if (answer === 'spent') return 'spent';
        found = answer === 'found';
      }
      for (const member of members(group)) groups[member] = group;
    }
    return 'yes';
  }

  #pairsIn(group: number, arrivals: Arrivals): readonly Arrivals[] | null {
    const agents = members(group);
    for (const a of agents) {
      for (const b of agents) {
        if (b <= a) continue;
        const later = afterPair(this.#frontiers.of(a, b, this.#latest(a, b)), arrivals);
        if (later !== null) return later;
      }
    }
    return null;
  }

  #latest(a: number, b: number): number {
    return Math.max(this.#terrain.distance(a), this.#terrain.distance(b)) + this.#slack;
  }

  /** Searches for a joint path; if a quick search is inconclusive, first checks whether one can exist. */
  #join(group: readonly number[], arrivals: Arrivals, limit: number): 'found' | 'none' | 'spent' {
    const { ways } = this;
    ways.blockers = 0;
    // Their frontier shows that two agents can do it.
    if (group.length === 2) return this.#joint.settle(group, arrivals, null, limit - this.work);
    const quick = this.#joint.settle(group, arrivals, null, quickLook);
    if (quick === 'found' || (quick === 'none' && ways.blockers !== 0)) return quick;
    ways.blockers = 0;
    this.#isInconsistent = !this.#consistency.mayHold(group, arrivals);
    if (this.#isInconsistent) return 'none';
    const guide = this.#consistency.isKnown ? this.#consistency : null;
    return this.#joint.settle(group, arrivals, guide, limit - this.work);
  }

  /** These agents alone are the reason: generalises and learns it. */
  #refuse(group: readonly number[], arrivals: Arrivals): readonly Arrivals[] {
    let agents = group;
    let tooLittle = arrivals;
    if (this.#isInconsistent) {
      agents = this.#fewest(group, arrivals);
      tooLittle = this.#longest(agents, arrivals);
    }
    const nogood = { members: agents, tooLittle };
    this.#nogoods.add(nogood);
    return after(nogood, arrivals);
  }

  /** Removes agents that are not needed for the refutation. */
  #fewest(group: readonly number[], arrivals: Arrivals): readonly number[] {
    let agents = group;
    for (const agent of group) {
      if (agents.length === 3) break;
      const others = agents.filter((other) => other !== agent);
      if (!this.#consistency.mayHold(others, arrivals)) agents = others;
    }
    return agents;
  }

  /** Increases the times agent by agent while they remain too short. */
  #longest(agents: readonly number[], arrivals: Arrivals): Arrivals {
    const farthest = Math.min(1 + this.#nogoods.count / 2, farthestProbe);
    let tooLittle = arrivals;
    for (const agent of agents) {
      for (let more = 1; more <= farthest; more *= 2) {
        const longer = tooLittle.with(agent, (tooLittle[agent] as number) + more);
        if (this.#consistency.mayHold(agents, longer)) break;
        tooLittle = longer;
      }
    }
    return tooLittle;
  }
}

function groupsOf(agents: number, groups: readonly number[]): number {
  let union = 0;
  for (const agent of members(agents)) union |= groups[agent] as number;
  return union;
}

function members(bits: number): number[] {
  const agents: number[] = [];
  for (let rest = bits; rest !== 0; rest &= rest - 1) agents.push(31 - Math.clz32(rest & -rest));
  return agents;
}

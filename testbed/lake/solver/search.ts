// The search for the least sum of arrival times. Its questions are arrival times, one an agent: can all arrive within
// them? The first question gives everybody the time it would need alone; the cheapest open one is answered next, so the
// first yes is an optimum. A no leads only to questions that its reason does not answer too.

import { Consistency } from './consistency.ts';
import { JointSearch } from './joint.ts';
import { type Frontier, Frontiers } from './pairs.ts';
import { Reservations, SingleSearch } from './reservations.ts';
import { type Terrain, unreachable } from './terrain.ts';

export type Found =
  | { readonly answer: 'found'; readonly cost: number }
  /** There is no plan, or none within the most it may cost; where a few agents are the reason, `because` names them. */
  | { readonly answer: 'none'; readonly because: readonly number[] }
  /** The work allowed is done. Every plan costs at least `bound`. */
  | { readonly answer: 'spent'; readonly bound: number };

export class Search {
  readonly #terrain: Terrain;
  readonly #answers: Answers;
  readonly #mayWait: boolean;
  /** Open questions by cost beyond the first one's; the last one added is answered first. */
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

  /** The ways of all agents, once they are found. */
  get ways(): Reservations {
    return this.#answers.ways;
  }

  /** What was done since `begin`. */
  get work(): number {
    return this.#answers.work;
  }

  /** For the instance that the terrain holds. Plans that cost more than `most` are of no interest. */
  begin(most: number): void {
    this.#alone = this.#terrain.starts.map((_, agent) => this.#terrain.distance(agent));
    this.#least = sum(this.#alone);
    this.#most = most;
    this.#level = 0;
    this.#open = this.#alone.includes(unreachable) ? [] : [[this.#alone]];
    this.#asked.clear();
    this.#answers.begin(most - this.#least);
  }

  /** Goes on until it is done, or until `effort` more work is. */
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

  /** Who never waits arrives an even number of steps later than it would alone. */
  #even(arrivals: Arrivals): Arrivals {
    return arrivals.map((arrival, agent) => arrival + ((arrival - (this.#alone[agent] as number)) & 1));
  }
}

// Arrival times, one an agent: a question a search can ask is whether all can arrive within them. A question that has no
// for an answer leads to later ones: each gives somebody just so much more time that the reason for the no is gone.

type Arrivals = readonly number[];

/** What must be asked after a nogood: one of its members needs more time. */
export function after({ members, tooLittle }: Nogood, arrivals: Arrivals): Arrivals[] {
  return members.map((agent) => arrivals.with(agent, (tooLittle[agent] as number) + 1));
}

/** What must be asked after two agents got in each other's way; null where their frontier says that they need not. */
export function afterPair({ first, second, arrivals: least }: Frontier, arrivals: Arrivals): Arrivals[] | null {
  const [one, other] = [arrivals[first] as number, arrivals[second] as number];
  const later: Arrivals[] = [];
  // The frontier goes from the earliest first arrival to the earliest second one.
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < least.length; i += 2) {
    const [a, b] = [Math.max(one, least[i] as number), Math.max(other, least[i + 1] as number)];
    if (a === one && b === other) return null;
    if (b >= best) continue;
    // With the same first arrival, the later entry asks less of the second.
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

// What a search learned: that some agents cannot all arrive within certain times, whatever the others do. One lesson rules
// out every question that gives those agents no more time.

export interface Nogood {
  readonly members: readonly number[];
  /** By agent; of the members, the most time that is known to be too little. */
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

  /** One that rules these arrivals out. */
  against(arrivals: readonly number[]): Nogood | undefined {
    return this.#learned.find(({ members, tooLittle }) =>
      members.every((agent) => (arrivals[agent] as number) <= (tooLittle[agent] as number)),
    );
  }
}

// Answers one question: can all agents arrive within these times? Agents find their ways one after the other; those that
// leave another no way are moved together with it. What cannot be is told by the frontier of two agents, or by the
// consistency of a few, which is made as telling as it can be before it is learned.

/** Yes: everybody has a way. Otherwise what must be asked instead. */
type Answer = 'yes' | 'spent' | readonly Arrivals[];

/** Moves that are tried before it is asked whether there can be a way at all. */
const quickLook = 200;

/** How much more time is tried to be too little for one agent: at most twice this. */
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
  /** Whether the last group was refused by its consistency, not by looking for its ways. */
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

  /** For the instance that the terrain holds; `slack` is how much later than alone anybody may arrive. */
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

  /** Two agents that have no joint way at all, if it is known of any. */
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
    /** By agent: those it moves together with, itself among them, one bit each. */
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

  /** Looks for a joint way; where a quick look does not tell, it is first asked whether there can be one. */
  #join(group: readonly number[], arrivals: Arrivals, limit: number): 'found' | 'none' | 'spent' {
    const { ways } = this;
    ways.blockers = 0;
    // That two agents can do it is known from their frontier.
    if (group.length === 2) return this.#joint.settle(group, arrivals, null, limit - this.work);
    const quick = this.#joint.settle(group, arrivals, null, quickLook);
    if (quick === 'found' || (quick === 'none' && ways.blockers !== 0)) return quick;
    ways.blockers = 0;
    this.#isInconsistent = !this.#consistency.mayHold(group, arrivals);
    if (this.#isInconsistent) return 'none';
    const guide = this.#consistency.isKnown ? this.#consistency : null;
    return this.#joint.settle(group, arrivals, guide, limit - this.work);
  }

  /** These agents alone are the reason: says so as generally as it can, and learns it. */
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

  /** Without those whose presence is not needed for the no. */
  #fewest(group: readonly number[], arrivals: Arrivals): readonly number[] {
    let agents = group;
    for (const agent of group) {
      if (agents.length === 3) break;
      const others = agents.filter((other) => other !== agent);
      if (!this.#consistency.mayHold(others, arrivals)) agents = others;
    }
    return agents;
  }

  /** With as much time as is still too little, agent by agent. */
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

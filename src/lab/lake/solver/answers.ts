// Answers one question: can all agents arrive within these times? Agents find their ways one after the other; those that
// leave another no way are moved together with it. What cannot be is told by the frontier of two agents, or by the
// consistency of a few, which is made as telling as it can be before it is learned.
import { Consistency } from './consistency.ts';
import { Frontiers } from './frontier.ts';
import { JointSearch } from './joint.ts';
import { Nogoods } from './nogoods.ts';
import { type Arrivals, after, afterPair } from './question.ts';
import { Reservations } from './reservations.ts';
import { SingleSearch } from './single.ts';
import type { Terrain } from './terrain.ts';

/** Yes: everybody has a way. Otherwise what must be asked instead. */
export type Answer = 'yes' | 'spent' | readonly Arrivals[];

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

// Arrival times, one an agent: a question a search can ask is whether all can arrive within them. A question that has no
// for an answer leads to later ones: each gives somebody just so much more time that the reason for the no is gone.
import type { Frontier } from './frontier.ts';
import type { Nogood } from './nogoods.ts';

export type Arrivals = readonly number[];

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

// How many instances of which kind a configuration means, and in which order they come: the counts meet its shares as
// exactly as whole numbers can, and so does every beginning of the sequence.
import type { LakeConfiguration } from '../configuration.ts';

/** In the order of sizes; only kinds of which there are some. */
export function ordersOf({ agents, sizes }: LakeConfiguration, count: number): Order[] {
  const listed = Object.entries(sizes)
    .map(([size, knobs]) => ({ size: Number(size), knobs }))
    .sort((a, b) => a.size - b.size);
  const parts = apportion(
    listed.map(({ knobs }) => knobs.data),
    count,
  );
  // Rounded size by size, small counts would have too many waits, or none: what is rounded away is made up for later.
  let wanted = 0;
  return listed.flatMap(({ size, knobs }, i) => {
    const part = parts[i] as number;
    const before = nearest(wanted);
    wanted += knobs.wait * part;
    return ordersOfSize(size, agents, knobs.hole, part, nearest(wanted) - before);
  });
}

/** Instances have one of two neighbouring numbers of holes, so that all of them together have the share that is asked. */
function ordersOfSize(size: number, agents: number, hole: number, count: number, waiting: number): Order[] {
  if (count === 0) return [];
  const allHoles = nearest(hole * size * size * count);
  const holes = Math.floor(allHoles / count);
  const withOneMore = allHoles - holes * count;
  const both = nearest((waiting * withOneMore) / count);
  const order = (more: 0 | 1, needsWait: boolean, part: number): Order => ({
    kind: { size, agents, holes: holes + more, needsWait },
    count: part,
  });
  return [
    order(0, false, count - waiting - withOneMore + both),
    order(1, false, withOneMore - both),
    order(0, true, waiting - both),
    order(1, true, both),
  ].filter((some) => some.count > 0);
}

/** One instance of a kind: the `ordinal`-th of that kind in the sequence, from 0. */
export interface Slot {
  readonly kind: Kind;
  readonly ordinal: number;
  /** In place of another kind, of which there are no more. */
  readonly standsIn?: true;
}

/** How far some part of all orders has come. */
interface Tally {
  readonly asked: number;
  done: number;
}

/**
 * Mixes kinds so that each comes evenly over the whole sequence, and so do sizes and waits: next is always the kind that
 * is farthest behind together with its size and with all that wait, or need not, like it. In every beginning of what a
 * configuration means, each of them is less than two away from its share.
 */
export function* slotsOf(orders: readonly Order[]): Generator<Slot> {
  const total = sumOf(orders);
  const sizes = tallies(orders, ({ kind }) => kind.size);
  const waits = tallies(orders, ({ kind }) => kind.needsWait);
  const lines = orders.map(({ kind, count }, i): Line => {
    const own = { asked: count, done: 0 };
    return { kind, own, all: [own, sizes[i] as Tally, waits[i] as Tally] };
  });
  for (let position = 1; position <= total; position++) {
    const { kind, own, all } = farthestBehind(lines, position, total);
    yield { kind, ordinal: own.done };
    for (const tally of all) tally.done++;
  }
}

interface Line {
  readonly kind: Kind;
  readonly own: Tally;
  /** Its own, that of its size, and that of its waiting. */
  readonly all: readonly Tally[];
}

/** The first of those that are equally far behind. */
function farthestBehind(lines: readonly Line[], position: number, total: number): Line {
  let farthest = lines[0] as Line;
  let most = Number.NEGATIVE_INFINITY;
  for (const line of lines) {
    if (line.own.done === line.own.asked) continue;
    let behind = 0;
    for (const { asked, done } of line.all) behind += asked * position - done * total;
    if (behind <= most) continue;
    most = behind;
    farthest = line;
  }
  return farthest;
}

/** By order, one tally for all that share a property. */
function tallies(orders: readonly Order[], property: (order: Order) => unknown): Tally[] {
  const groups = Map.groupBy(orders, property);
  const byProperty = new Map([...groups].map(([value, group]) => [value, { asked: sumOf(group), done: 0 }]));
  return orders.map((order) => byProperty.get(property(order)) as Tally);
}

function sumOf(orders: readonly Order[]): number {
  return orders.reduce((sum, { count }) => sum + count, 0);
}

// A kind of instance: what a cell of the knob space holds. Everything that is generated is of a kind that was asked for.

export interface Kind {
  readonly size: number;
  readonly agents: number;
  /** A number of cells. */
  readonly holes: number;
  readonly needsWait: boolean;
}

/** Shares of cells that are holes, for pools in which every level stands beside the others. */
const holeLevels = [0, 0.1, 0.2, 0.3] as const;

/** Numbers of holes, one a level, of lakes of a size. */
export function holeLevelsOf(size: number): number[] {
  return holeLevels.map((level) => nearest(level * size * size));
}

/** So many instances of a kind. */
export interface Order {
  readonly kind: Kind;
  readonly count: number;
}

export function kindName({ size, agents, holes, needsWait }: Kind): string {
  return `${size}x${size}, ${agents} agents, ${holes} holes, ${needsWait ? 'with a wait' : 'without a wait'}`;
}

/** Why there is none of a kind, where that can be told without looking for one; null where there may be some. */
export function whyNone({ size, agents, holes, needsWait }: Kind): string | null {
  // Every agent needs a cell of its own, and one that is alone a second one for its goal.
  if (size * size - holes < Math.max(agents, 2)) return 'there is no room for the agents';
  return agents === 1 && needsWait ? 'an agent that is alone never has to wait' : null;
}

// Whole numbers in place of shares, as near to them as whole numbers can be.

/** Where a product of shares and counts lies this close to a half, it is one. */
const tiny = 1e-9;

export function nearest(value: number): number {
  return Math.floor(value + 0.5 + tiny);
}

/** Parts of `count` in proportion to `shares`, which sum to 1: what is left over goes to the largest remainders. */
export function apportion(shares: readonly number[], count: number): number[] {
  const parts = shares.map((share) => Math.floor(share * count));
  const left = count - parts.reduce((sum, part) => sum + part, 0);
  const byRemainder = shares
    .map((share, index) => ({ index, remainder: share * count - (parts[index] as number) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  for (const { index } of byRemainder.slice(0, Math.max(left, 0))) parts[index] = (parts[index] as number) + 1;
  return parts;
}

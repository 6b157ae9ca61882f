// The number of instances of each kind in a configuration, and their order: the counts and every prefix of the sequence match the shares
// as closely as whole numbers can.
import type { LakeConfiguration } from '../configuration.ts';

/** Ordered by size, without empty orders. */
export function ordersOf({ agents, sizes }: LakeConfiguration, count: number): Order[] {
  const listed = Object.entries(sizes)
    .map(([size, knobs]) => ({ size: Number(size), knobs }))
    .sort((a, b) => a.size - b.size);
  const parts = apportion(
    listed.map(({ knobs }) => knobs.data),
    count,
  );
  // Rounding size by size would accumulate errors for small counts; remainders are carried to later sizes.
  let wanted = 0;
  return listed.flatMap(({ size, knobs }, i) => {
    const part = parts[i] as number;
    const before = nearest(wanted);
    wanted += knobs.wait * part;
    return ordersOfSize(size, agents, knobs.hole, part, nearest(wanted) - before);
  });
}

/** Instances have one of two adjacent numbers of holes, so that the total matches the share. */
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

/** One instance of a kind: number `ordinal` of that kind in the sequence, from 0. */
export interface Slot {
  readonly kind: Kind;
  readonly ordinal: number;
  /** Replaces an exhausted kind. */
  readonly standsIn?: true;
}

/** The progress of a group of orders. */
interface Tally {
  readonly asked: number;
  done: number;
}

/**
 * Interleaves kinds evenly over the whole sequence, and so sizes and waits: the next kind is the one that is farthest behind, together
 * with its size and its wait group. In every prefix of a configuration's sequence, each of them is less than two away from its share.
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
  /** Its own, that of its size, and that of its wait group. */
  readonly all: readonly Tally[];
}

/** The first of equally late ones. */
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

/** By order, one tally for all orders with the same property. */
function tallies(orders: readonly Order[], property: (order: Order) => unknown): Tally[] {
  const groups = Map.groupBy(orders, property);
  const byProperty = new Map([...groups].map(([value, group]) => [value, { asked: sumOf(group), done: 0 }]));
  return orders.map((order) => byProperty.get(property(order)) as Tally);
}

function sumOf(orders: readonly Order[]): number {
  return orders.reduce((sum, { count }) => sum + count, 0);
}

// A kind of instance: a cell of the knob space. Everything that is generated has a requested kind.

export interface Kind {
  readonly size: number;
  readonly agents: number;
  /** A number of cells. */
  readonly holes: number;
  readonly needsWait: boolean;
}

/** Shares of holes, for splits that contain every level. */
const holeLevels = [0, 0.1, 0.2, 0.3] as const;

/** Numbers of holes, one per level, for lakes of a size. */
export function holeLevelsOf(size: number): number[] {
  return holeLevels.map((level) => nearest(level * size * size));
}

/** A number of instances of a kind. */
export interface Order {
  readonly kind: Kind;
  readonly count: number;
}

export function kindName({ size, agents, holes, needsWait }: Kind): string {
  return `${size}x${size}, ${agents} agents, ${holes} holes, ${needsWait ? 'with a wait' : 'without a wait'}`;
}

/** Why a kind cannot exist, if that is obvious; null if it may. */
export function whyNone({ size, agents, holes, needsWait }: Kind): string | null {
  // Every agent needs its own cell, and a single agent a second one for its goal.
  if (size * size - holes < Math.max(agents, 2)) return 'not enough room for the agents';
  return agents === 1 && needsWait ? 'a single agent never has to wait' : null;
}

// Rounds shares to whole numbers.

/** A product of shares and counts this close to a half counts as a half. */
const tiny = 1e-9;

export function nearest(value: number): number {
  return Math.floor(value + 0.5 + tiny);
}

/** Parts of `count` in proportion to `shares`, which sum to 1; the rest goes to the largest remainders. */
export function apportion(shares: readonly number[], count: number): number[] {
  const parts = shares.map((share) => Math.floor(share * count));
  const left = count - parts.reduce((sum, part) => sum + part, 0);
  const byRemainder = shares
    .map((share, index) => ({ index, remainder: share * count - (parts[index] as number) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  for (const { index } of byRemainder.slice(0, Math.max(left, 0))) parts[index] = (parts[index] as number) + 1;
  return parts;
}

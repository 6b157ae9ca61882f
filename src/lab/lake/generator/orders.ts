// How many instances of which kind a configuration means, and in which order they come: the counts meet its shares as
// exactly as whole numbers can, and so does every beginning of the sequence.
import type { LakeConfiguration, SizeKnobs } from '../configuration.ts';
import { apportion, nearest } from './apportion.ts';
import type { Kind, Order } from './kind.ts';

/** In the order of sizes; only kinds of which there are some. */
export function ordersOf({ agents, sizes }: LakeConfiguration, count: number): Order[] {
  const listed = Object.entries(sizes)
    .map(([size, knobs]) => ({ size: Number(size), knobs }))
    .sort((a, b) => a.size - b.size);
  const parts = apportion(
    listed.map(({ knobs }) => knobs.data),
    count,
  );
  return listed.flatMap(({ size, knobs }, i) => ordersOfSize(size, agents, knobs, parts[i] as number));
}

/** Instances have one of two neighbouring numbers of holes, so that all of them together have the share that is asked. */
function ordersOfSize(size: number, agents: number, { hole, wait }: SizeKnobs, count: number): Order[] {
  if (count === 0) return [];
  const waiting = nearest(wait * count);
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

/** Mixes kinds so that each comes evenly over the whole sequence: next is always the one that is farthest behind. */
export function* slotsOf(orders: readonly Order[]): Generator<Slot> {
  const total = orders.reduce((sum, { count }) => sum + count, 0);
  const done = orders.map(() => 0);
  for (let position = 1; position <= total; position++) {
    let next = 0;
    let farthest = Number.NEGATIVE_INFINITY;
    for (const [i, { count }] of orders.entries()) {
      const behind = count * position - (done[i] as number) * total;
      if (behind <= farthest || done[i] === count) continue;
      farthest = behind;
      next = i;
    }
    const ordinal = done[next] as number;
    done[next] = ordinal + 1;
    yield { kind: (orders[next] as Order).kind, ordinal };
  }
}

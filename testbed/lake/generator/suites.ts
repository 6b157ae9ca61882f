// Benchmark suites: every policy is measured on the same instances, forever. A suite has one number of agents and one share of instances
// that need a wait, on all sizes from 3 to 10 with room for the agents, with holes from none to 30 % in turn. Its content follows from its
// name and seed; its digest proves that it has not changed.
import type { Split } from '../../../src/library/plugins/tools.ts';
import { configurableSizes } from '../configuration.ts';
import { type Batch, fill, type Instances } from './generate.ts';
import { holeLevelsOf, type Kind, nearest, type Order } from './orders.ts';

export interface SuiteLayout {
  readonly name: string;
  readonly agents: number;
  /** The share of instances in which an agent has to wait. */
  readonly wait: number;
  readonly sizes: readonly number[];
  /** Instances of each size. */
  readonly perSize: number;
  readonly seed: string;
}

const waits = [25, 50, 75] as const;
const agentCounts = [2, 3, 4, 5] as const;
const perSize = 50;
const edition = 'icecore-suites-1';

/** By agents, then from few waits to many. */
export const suites: readonly SuiteLayout[] = agentCounts.flatMap((agents) =>
  waits.map((wait) => layout(agents, wait, perSize)),
);

/** A suite by its name, or a smaller or larger edition: agents-3-wait-50-of-20 has 20 instances of each size. */
export function suiteNamed(name: string): SuiteLayout | null {
  const [, base, count] = /^(.*?)(?:-of-([1-9][0-9]{0,3}))?$/.exec(name) ?? [];
  const known = suites.find((suite) => suite.name === base);
  if (known === undefined) return null;
  return count === undefined ? known : layout(known.agents, 100 * known.wait, Number(count));
}

function layout(agents: number, wait: number, each: number): SuiteLayout {
  const base = `agents-${agents}-wait-${wait}`;
  const name = each === perSize ? base : `${base}-of-${each}`;
  const sizes = configurableSizes.filter((size) => size >= agents);
  return { name, agents, wait: wait / 100, sizes, perSize: each, seed: `${edition}/${base}` };
}

/**
 * The instances of a suite. If a kind is exhausted, others of the same size and wait group replace it, because lakes of 3x3 are few.
 */
export function suiteInstances(suite: SuiteLayout): Instances {
  return fill(suiteBatch(suite));
}

export function suiteBatch(suite: SuiteLayout): Batch {
  return { orders: ordersOfSuite(suite), wanted: { seed: suite.seed, split: 'test', standIns: withOtherHoles } };
}

function ordersOfSuite({ agents, wait, sizes, perSize }: SuiteLayout): Order[] {
  return sizes.flatMap((size) => {
    const waiting = nearest(wait * perSize);
    const counts = [perSize - waiting, waiting];
    return counts.flatMap((count, needsWait) => spread({ size, agents, holes: 0, needsWait: needsWait === 1 }, count));
  });
}

/** The same number for each level of holes, as far as possible. */
function spread(kind: Kind, count: number): Order[] {
  return holeLevelsOf(kind.size).map((holes, i, levels) => ({
    kind: { ...kind, holes },
    count: Math.floor((count * (i + 1)) / levels.length) - Math.floor((count * i) / levels.length),
  }));
}

function withOtherHoles(kind: Kind): Kind[] {
  return holeLevelsOf(kind.size)
    .filter((holes) => holes !== kind.holes)
    .map((holes) => ({ ...kind, holes }));
}

// The probe split: the same number of instances of every kind of the knob space that exists, whatever share of the training data a size
// has, so that there is evidence about untrained kinds.

interface ProbeOptions {
  readonly split: Split;
  readonly seed: string;
}

export function probe(agents: number, perKind: number, wanted: ProbeOptions): Instances {
  return fill(probeBatch(agents, perKind, wanted));
}

export function probeBatch(agents: number, perKind: number, wanted: ProbeOptions): Batch {
  return { orders: kindsOf(agents).map((kind) => ({ kind, count: perKind })), wanted };
}

function kindsOf(agents: number): Kind[] {
  return configurableSizes.flatMap((size) =>
    [false, true].flatMap((needsWait) => holeLevelsOf(size).map((holes) => ({ size, agents, holes, needsWait }))),
  );
}

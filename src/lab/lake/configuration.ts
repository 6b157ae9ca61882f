// What the generator is told to make: how many agents, and for every size its share of the instances, the share of its
// cells that are holes, and the share of its instances that need a wait. Sizes that have no share are left out at will.

export interface SizeKnobs {
  /** The share of all instances that have this size; the shares sum to 1. */
  readonly data: number;
  /** The share of cells that are holes. */
  readonly hole: number;
  /** The share of instances in which somebody has to wait. */
  readonly wait: number;
}

export interface LakeConfiguration {
  readonly agents: number;
  /** By size, written as a number: "3" to "10". */
  readonly sizes: Readonly<Record<string, SizeKnobs>>;
}

export const configurableSizes = [3, 4, 5, 6, 7, 8, 9, 10] as const;

/** All sizes alike, neither easy nor hard: where a run begins unless told otherwise. */
export const startConfiguration: LakeConfiguration = {
  agents: 2,
  sizes: Object.fromEntries(
    configurableSizes.map((size) => [String(size), { data: 1 / configurableSizes.length, hole: 0.15, wait: 0.25 }]),
  ),
};

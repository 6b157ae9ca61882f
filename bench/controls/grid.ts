// Where the choice of training lakes matters: the cells that `npm run headroom` measures, the mixtures of lakes it compares in each, and the
// table that it prints. docs/controls.md summarizes it.
import { meanOf } from '../../src/lab/statistics/distributions.ts';
import { type LakeConfiguration, startConfiguration } from '../../testbed/lake/configuration.ts';

export interface Cell {
  /** Random weights, or those of a training of 400,000 agent steps on lakes of all sizes. */
  readonly start: 'fresh' | 'trained';
  /** In agent steps. */
  readonly budget: number;
  readonly agents: number;
  /** Hyper-parameters that differ from the defaults. */
  readonly trainer: Readonly<Record<string, number>>;
}

export const startBudget = 400_000;

const starts = ['fresh', 'trained'] as const;

/** Each factor changes alone; from scratch with 400,000 steps is in the table of docs/controls.md. */
export const cells: readonly Cell[] = [
  { start: 'fresh', budget: 100_000, agents: 2, trainer: {} },
  { start: 'fresh', budget: 200_000, agents: 2, trainer: {} },
  ...[100_000, 200_000, 400_000].map((budget) => ({ start: 'trained', budget, agents: 2, trainer: {} }) as const),
  ...starts.map((start) => ({ start, budget: 200_000, agents: 3, trainer: {} })),
  ...starts.map((start) => ({ start, budget: 200_000, agents: 2, trainer: { stepPenalty: 0.01 } })),
  ...starts.map((start) => ({ start, budget: 200_000, agents: 2, trainer: { horizon: 0.25 } })),
];

/** The sizes that training is divided among, in equal shares. */
export const mixtures = { uniform: [3, 4, 5, 6, 7, 8, 9, 10], small: [3, 4, 5], large: [6, 7, 8, 9, 10] } as const;

export type Mixture = keyof typeof mixtures;

export function lakesOf(mixture: Mixture, agents: number): LakeConfiguration {
  const sizes: readonly number[] = mixtures[mixture];
  const shareOf = (size: string): number => (sizes.includes(Number(size)) ? 1 / sizes.length : 0);
  const entries = Object.entries(startConfiguration.sizes).map(([size, knobs]) => [
    size,
    { ...knobs, data: shareOf(size) },
  ]);
  return { agents, sizes: Object.fromEntries(entries) as LakeConfiguration['sizes'] };
}

export interface Measured {
  readonly cell: Cell;
  readonly mixture: Mixture;
  readonly seed: number;
  /** The share of valid plans on validation lakes of all sizes. */
  readonly valid: number;
}

export function nameOf({ start, budget, agents, trainer }: Cell, mixture: Mixture, seed: number): string {
  const changed = Object.entries(trainer).map(([name, value]) => `-${name}-${value}`);
  return `${start}-${budget / 1000}k-${agents}-agents${changed.join('')}-${mixture}-${seed}`;
}

/** Cells without a result are left out. */
export function tableOf(results: readonly Measured[]): string {
  const rows = cells.flatMap((cell) => {
    const own = results.filter((one) => JSON.stringify(one.cell) === JSON.stringify(cell));
    return own.length === 0 ? [] : [rowOf(cell, own)];
  });
  const titles = ['start', 'agent steps', 'agents', 'trainer', ...Object.keys(mixtures), 'best less uniform, by seed'];
  return [titles, ['---', '---:', '---:', '---', '---:', '---:', '---:', '---'], ...rows]
    .map((cellsOfRow) => `| ${cellsOfRow.join(' | ')} |`)
    .join('\n');
}

function rowOf({ start, budget, agents, trainer }: Cell, results: readonly Measured[]): string[] {
  const valuesOf = (mixture: string): readonly number[] =>
    results.filter((one) => one.mixture === mixture).map(({ valid }) => 100 * valid);
  const means = Object.keys(mixtures).map((mixture) => ({ mixture, mean: meanOf(valuesOf(mixture)) }));
  const known = means.filter(({ mixture, mean }) => mixture !== 'uniform' && !Number.isNaN(mean));
  const best = known.toSorted((one, other) => other.mean - one.mean)[0];
  const seeds = [...new Set(results.map(({ seed }) => seed))].sort((one, other) => one - other);
  const gains = seeds.flatMap((seed) => {
    const of = (mixture: string | undefined): number =>
      100 * (results.find((one) => one.seed === seed && one.mixture === mixture)?.valid ?? Number.NaN);
    const gain = of(best?.mixture) - of('uniform');
    return Number.isNaN(gain) ? [] : [`${gain < 0 ? '' : '+'}${gain.toFixed(1)}`];
  });
  const changed = Object.entries(trainer).map(([name, value]) => `${name} ${value}`);
  return [
    ...[start, `${budget / 1000}k`, String(agents), changed.length === 0 ? 'default' : changed.join(', ')],
    ...means.map(({ mean }) => (Number.isNaN(mean) ? '' : `${mean.toFixed(1)} %`)),
    gains.length === 0 ? '' : `${best?.mixture} ${gains.join(', ')}`,
  ];
}

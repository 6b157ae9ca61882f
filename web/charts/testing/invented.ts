// Invented figures for charts: as many stages and groups as are asked for, with gaps where nothing was recorded.
import type { ChartData, RateAt } from '../../../schemas/chart-data.ts';

export interface Invented {
  readonly stages: number;
  readonly groups: readonly string[];
  /** Every so many figures one is missing; 0: none. */
  readonly gapEvery?: number;
}

export function invented({ stages: count, groups, gapEvery = 0 }: Invented): ChartData {
  const stages = Array.from({ length: count }, (_, i) => i + 1);
  let drawn = 0;
  const isThere = (): boolean => gapEvery === 0 || ++drawn % gapEvery !== 0;
  const each = <Row>(row: (stage: number, group: string, place: number) => Row): Row[] =>
    stages.flatMap((stage) => groups.map((group, place) => row(stage, group, place)));
  const skill = (stage: number, place: number): number => Math.min(0.95, (0.9 * stage) / (count + place));
  const pooled = stages.map((stage) => rateAt('validation', 'validation', null, stage, skill(stage, 1)));
  const byGroup = each((stage, group, place) => rateAt('validation', 'validation', group, stage, skill(stage, place)));
  return {
    stages,
    groups: [...groups],
    shares: each((stage, group) => ({ stage, group, share: 1 / groups.length })),
    rates: [...pooled, ...byGroup.filter(isThere), rateAt('hard', 'test', null, count, 0.1)],
    failures: stages.flatMap((stage) =>
      [0.5, 0.3, 0.1, 0.04, 0.03, 0.02, 0.006, 0.004].map((share, i) => ({
        stage,
        class: `class ${i}`,
        count: 1,
        share,
      })),
    ),
    failuresOf: 'failed',
    signal: [
      ...stages.map((stage) => ({ stage, group: null, share: 0.4, hasCollapsed: false })),
      ...each((stage, group, place) => ({
        stage,
        group,
        share: isThere() ? skill(stage, place) : null,
        hasCollapsed: stage === 2,
      })),
    ],
    knobs: groups.map((group, place) => ({
      knob: `${group}.hole`,
      group,
      values: stages.map((stage) => ({ stage, value: isThere() ? (stage + place) % 3 : null, isChanged: stage > 1 })),
    })),
  };
}

function rateAt(suite: string, split: string, group: string | null, stage: number, value: number): RateAt {
  return {
    suite,
    split,
    measure: 'valid',
    group,
    stage,
    value,
    low: value * 0.8,
    high: Math.min(1, value * 1.2),
    of: 100,
  };
}

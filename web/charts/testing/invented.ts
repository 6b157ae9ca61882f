// Generates data for charts with any number of stages and families, and with gaps.
import type { ChartData, RateAt } from '../../../schemas/chart-data.ts';

export interface Invented {
  readonly stages: number;
  readonly families: readonly string[];
  /** Every nth value is missing; 0: none. */
  readonly gapEvery?: number;
}

export function invented({ stages: count, families, gapEvery = 0 }: Invented): ChartData {
  const stages = Array.from({ length: count }, (_, i) => i + 1);
  let drawn = 0;
  const isThere = (): boolean => gapEvery === 0 || ++drawn % gapEvery !== 0;
  const each = <Row>(row: (stage: number, family: string, place: number) => Row): Row[] =>
    stages.flatMap((stage) => families.map((family, place) => row(stage, family, place)));
  const skill = (stage: number, place: number): number => Math.min(0.95, (0.9 * stage) / (count + place));
  const pooled = stages.map((stage) => rateAt('validation', 'validation', null, stage, skill(stage, 1)));
  const byFamily = each((stage, family, place) =>
    rateAt('validation', 'validation', family, stage, skill(stage, place)),
  );
  return {
    stages,
    families: [...families],
    shares: each((stage, family) => ({ stage, family, share: 1 / families.length })),
    rates: [...pooled, ...byFamily.filter(isThere), rateAt('hard', 'test', null, count, 0.1)],
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
      ...stages.map((stage) => ({ stage, family: null, share: 0.4, low: 0.35, high: 0.45, hasCollapsed: false })),
      ...each((stage, family, place) => ({
        stage,
        family,
        ...signalAt(isThere() ? skill(stage, place) : null),
        hasCollapsed: stage === 2,
      })),
    ],
    knobs: families.map((family, place) => ({
      knob: `${family}.hole`,
      family,
      values: stages.map((stage) => ({ stage, value: isThere() ? (stage + place) % 3 : null, isChanged: stage > 1 })),
    })),
  };
}

function signalAt(share: number | null) {
  return { share, low: share === null ? null : share * 0.9, high: share === null ? null : share * 1.1 };
}

function rateAt(suite: string, split: string, family: string | null, stage: number, value: number): RateAt {
  return {
    suite,
    split,
    measure: 'valid',
    family,
    stage,
    value,
    low: value * 0.8,
    high: Math.min(1, value * 1.2),
    of: 100,
  };
}

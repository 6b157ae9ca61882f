// The matrix of an ablation and its differences, drawn by the charts of reports; a cell leads to its arm.
import { useEffect, useState } from 'preact/hooks';
import type { Ablated, AblatedArm } from '../../../../schemas/ablation-output.ts';
import type { Chart } from '../../../charts/chart.ts';
import type { MatrixCell, MatrixData } from '../../../charts/matrix.ts';
import type { IntervalsData } from '../../../charts/matrix-intervals.ts';
import {
  bestFirst,
  commonModules,
  matrixOf,
  type Standing,
  type Standings,
  significance,
  significantDifference,
} from '../../../charts/standings.ts';
import { ChartFigure } from '../../chart.tsx';
import { Failed, Loading } from '../../parts.tsx';
import { aroundText, differenceText, figureText, numberIn, signedText, verdictOf } from './figures.ts';

interface MatrixProps {
  readonly ablated: Ablated;
  readonly standings: Standings;
  readonly hrefOfArm: (arm: string) => string;
}

export function MatrixCharts({ ablated, standings, hrefOfArm }: MatrixProps) {
  const [charts, setCharts] = useState<readonly Chart[] | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  useEffect(() => {
    let isLeft = false;
    Promise.all([import('../../../charts/matrix.ts'), import('../../../charts/matrix-intervals.ts')]).then(
      ([{ matrixChart }, { intervalsChart }]) => {
        const differences = intervalsData(ablated, standings);
        const drawn = [
          matrixChart(matrixData(ablated, standings, hrefOfArm)),
          differences === null ? null : intervalsChart(differences),
        ];
        if (!isLeft) setCharts(drawn.filter((chart) => chart !== null));
      },
      (failed: unknown) => {
        if (!isLeft) setFault(failed);
      },
    );
    return () => {
      isLeft = true;
    };
  }, [ablated, standings.measure.measure]);
  if (fault !== null) return <Failed fault={fault} />;
  if (charts === null) return <Loading what="the matrix" />;
  if (charts.length === 0)
    return <p class="quiet">No arm has a value of {standings.measure.measure} yet, so there is no matrix to draw.</p>;
  return (
    <div class="charts matrix">
      {charts.map((chart) => (
        <ChartFigure key={chart.title} chart={chart} />
      ))}
    </div>
  );
}

function matrixData(ablated: Ablated, standings: Standings, hrefOfArm: MatrixProps['hrefOfArm']): MatrixData {
  const { contexts, engineers, armAt, beside } = matrixOf(ablated);
  const { measure, reference, arms } = standings;
  const isAny = arms.some(({ against }) => significance(against, measure) !== null);
  const cell = (row: string, column: string | null, arm: AblatedArm | null): readonly MatrixCell[] =>
    arm === null ? [] : [cellOf({ row, column }, arm, standings, hrefOfArm(arm.arm))];
  return {
    title: `${measure.measure} by context and engineer`,
    caption: [
      'Contexts are rows, engineers are columns; below them are the arms that see no context.',
      ...commonModules(ablated),
      ...(reference === null ? [] : [`Only cells that differ from ${reference} significantly are shaded.`]),
      ...(isAny ? ['▲ better, ▼ worse.'] : []),
      'A cell opens its arm.',
    ].join(' '),
    rows: contexts,
    columns: engineers,
    below: beside.map(({ arm }) => arm),
    cells: [
      ...contexts.flatMap((row) => engineers.flatMap((column) => cell(row, column, armAt(row, column)))),
      ...beside.flatMap((arm) => cell(arm.arm, null, arm)),
    ],
    better: measure.better,
    reference,
  };
}

const marks = { better: ' ▲', worse: ' ▼' } as const;

function cellOf(
  place: Pick<MatrixCell, 'row' | 'column'>,
  { arm, notApplicable }: AblatedArm,
  { measure, arms }: Standings,
  href: string,
): MatrixCell {
  const standing = arms.find((one) => one.arm === arm) ?? null;
  if (standing === null || standing.mean === null) {
    const figure =
      standing?.isErrored === true ? 'errored' : standing?.isUnused === true ? 'not applicable' : 'no value';
    return { ...place, value: null, figure, around: '', says: `${arm}: ${figure}`, against: null, href };
  }
  const way = significance(standing.against, measure);
  const figure = `${figureText(measure, standing.mean)}${notApplicable.length > 0 ? '°' : ''}${way === null ? '' : marks[way]}`;
  const around = aroundText(measure, standing);
  return {
    ...{ ...place, value: standing.mean, figure, around, href },
    says: `${arm}: ${figure} ${around}`.trim(),
    against: significantDifference(standing),
  };
}

function intervalsData(ablated: Ablated, standings: Standings): IntervalsData | null {
  const { measure, reference } = standings;
  if (reference === null) return null;
  const arms = bestFirst(standings).flatMap((one) => intervalOf(one, ablated, standings));
  if (arms.length === 0) return null;
  const unit = measure.is === 'share' ? `points of ${measure.measure}` : measure.measure;
  return {
    title: `Differences from ${reference}, paired by seed`,
    caption:
      'Bars are intervals of the differences. A filled dot is significant; the others are inconclusive or equivalent.',
    unit: `${unit}, against ${reference}`,
    arms,
    line: 0,
    tick: (value) => signedText(measure, value).replace(/\.0$/, ''),
    table: {
      columns: ['arm', unit, 'verdict'],
      rows: arms.map(({ arm, figure, says }) => [arm, figure, says.slice(says.lastIndexOf(', ') + 2)]),
    },
  };
}

function intervalOf({ arm, against }: Standing, ablated: Ablated, { measure }: Standings): IntervalsData['arms'] {
  const value = numberIn(against?.difference);
  if (against === null || against.verdict === 'not-applicable' || value === null) return [];
  const { low = null, high = null } = against;
  const way = significance(against, measure);
  const figure = differenceText(measure, value, against);
  const { words } = verdictOf(against, measure, ablated);
  return [
    {
      ...{ arm, value, low, high, figure },
      isSignificant: way !== null,
      isWorse: way === 'worse',
      says: `${arm}: ${figure}, ${words}`,
    },
  ];
}

// The pictures of an ablation, for a page that can hold drawings; where there is nothing to draw there is none.
import type { Chart } from '../../../web/charts/chart.ts';
import { type MatrixData, matrixChart } from '../../../web/charts/matrix.ts';
import { type IntervalsData, intervalsChart } from '../../../web/charts/matrix-intervals.ts';

export type { Chart } from '../../../web/charts/chart.ts';
export type { MatrixCell, MatrixData } from '../../../web/charts/matrix.ts';
export type { ArmInterval, IntervalsData } from '../../../web/charts/matrix-intervals.ts';

export interface Pictured {
  readonly matrix: MatrixData | null;
  readonly intervals: IntervalsData | null;
}

export interface Pictures {
  readonly matrix: Chart | null;
  readonly intervals: Chart | null;
}

export function picturesOf({ matrix, intervals }: Pictured): Pictures {
  return {
    matrix: matrix === null ? null : matrixChart(matrix),
    intervals: intervals === null ? null : intervalsChart(intervals),
  };
}

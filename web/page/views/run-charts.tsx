// The charts of a run. They and the library that draws them are loaded when they are first needed.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ChartData } from '../../../schemas/chart-data.ts';
import type { Chart, Place } from '../../charts/chart.ts';
import { ChartFigure } from '../chart.tsx';
import { Failed, Loading } from '../parts.tsx';

type Draw = (data: ChartData) => readonly (Chart & { readonly name: string })[];

interface RunChartsProps {
  readonly data: ChartData;
  readonly link: (place: Place) => string;
}

export function RunCharts({ data, link }: RunChartsProps) {
  const [draw, setDraw] = useState<{ readonly draw: Draw } | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  useEffect(() => {
    loadCharts().then((loaded) => setDraw({ draw: loaded }), setFault);
  }, []);
  const charts = useMemo(() => draw?.draw(data) ?? null, [draw, data]);
  if (fault !== null) return <Failed fault={fault} />;
  if (charts === null) return <Loading what="the charts" />;
  if (charts.length === 0) return <p class="quiet">Nothing is recorded yet that could be drawn.</p>;
  return (
    <>
      <p class="quiet">
        A click on a cell, a point or a bar leads to its rollouts, on a stage to the stage, and on a knob to the reasons
        for its value. With the keyboard: Tab to a chart, arrow keys within it.
      </p>
      <div class="charts">
        {charts.map((chart) => (
          <ChartFigure key={chart.name} chart={chart} link={link} />
        ))}
      </div>
    </>
  );
}

/** Those of reports, with the knobs as a heat map, and with the optimal rate. */
async function loadCharts(): Promise<Draw> {
  const [{ chartsOf }, { courseChart }, { knobMapChart }] = await Promise.all([
    import('../../charts/charts.ts'),
    import('../../charts/course.ts'),
    import('../../charts/knob-map.ts'),
  ]);
  return (data) => {
    const knobs = knobMapChart(data);
    const optimal = courseChart(data, 'optimal');
    return [
      ...(knobs === null ? [] : [{ ...knobs, name: 'knob-map' }]),
      ...chartsOf(data).flatMap((chart) => {
        if (chart.name === 'knobs') return [];
        return chart.name === 'course' && optimal !== null ? [chart, { ...optimal, name: 'optimal' }] : [chart];
      }),
    ];
  };
}

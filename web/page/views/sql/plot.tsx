// A small chart of a result: its kind and its columns are in the address.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Chart } from '../../../charts/chart.ts';
import { ChartFigure } from '../../chart.tsx';
import { Failed, Loading } from '../../parts.tsx';
import {
  type ChartKind,
  type Choice,
  chartKinds,
  completeChoice,
  numericColumns,
  plainColumns,
  pointsOf,
} from './points.ts';
import type { Result } from './running.ts';

interface PlotProps {
  readonly result: Result;
  /** As in the address. */
  readonly chosen: { readonly chart: string; readonly x: string; readonly y: string; readonly series: string };
  readonly onChoose: (changed: Partial<PlotProps['chosen']>) => void;
  readonly onEdit: (sql: string) => void;
}

export function Plot({ result, chosen, onChoose, onEdit }: PlotProps) {
  const { answer, sql } = result;
  const kind = chartKinds.find((one) => one === chosen.chart) ?? null;
  const choice = useMemo(
    () => (kind === null ? null : completeChoice(answer, kind, chosen)),
    [answer, kind, chosen.x, chosen.y, chosen.series],
  );
  return (
    <section class="plot" aria-label="Chart of the result">
      <div class="controls">
        <Pick label="Chart" value={kind ?? ''} none="none" names={chartKinds} onPick={(chart) => onChoose({ chart })} />
        {choice !== null && (
          <>
            <Pick label="x" value={choice.x} names={plainColumns(answer).map(nameOf)} onPick={(x) => onChoose({ x })} />
            <Pick
              label="y"
              value={choice.y}
              names={numericColumns(answer).map(nameOf)}
              onPick={(y) => onChoose({ y })}
            />
            <Pick
              label="Series"
              value={choice.series}
              none="one"
              names={plainColumns(answer).map(nameOf)}
              onPick={(series) => onChoose({ series })}
            />
          </>
        )}
      </div>
      {kind !== null && choice === null && <p class="quiet">No column is a number, so there is nothing to draw.</p>}
      {choice !== null && <Drawn key={kind} result={answer} sql={sql} choice={choice} onEdit={onEdit} />}
    </section>
  );
}

const nameOf = ({ name }: { readonly name: string }): string => name;

interface PickProps {
  readonly label: string;
  readonly value: string;
  readonly names: readonly (string | ChartKind)[];
  /** What the empty choice is called; absent: there is none. */
  readonly none?: string;
  readonly onPick: (name: string) => void;
}

function Pick({ label, value, names, none, onPick }: PickProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onPick(event.currentTarget.value)}>
        {none !== undefined && <option value="">{none}</option>}
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface DrawnProps {
  readonly result: Result['answer'];
  readonly sql: string;
  readonly choice: Choice;
  readonly onEdit: (sql: string) => void;
}

function Drawn({ result, sql, choice, onEdit }: DrawnProps) {
  const points = useMemo(() => pointsOf(result, choice, sql), [result, choice, sql]);
  const [chart, setChart] = useState<Chart | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  useEffect(() => {
    if ('reason' in points) return;
    let isLeft = false;
    import('../../../charts/query-chart.ts').then(
      ({ queryChart }) => {
        if (!isLeft) setChart(queryChart({ ...choice, points }));
      },
      (failed: unknown) => {
        if (!isLeft) setFault(failed);
      },
    );
    return () => {
      isLeft = true;
    };
  }, [points, choice]);
  if ('reason' in points)
    return (
      <div class="card" role="status">
        <p>{points.reason}</p>
        {points.sql !== null && (
          <>
            <pre>{points.sql}</pre>
            <button type="button" onClick={() => onEdit(points.sql ?? '')}>
              Put this into the editor
            </button>
          </>
        )}
      </div>
    );
  if (fault !== null) return <Failed fault={fault} />;
  return chart === null ? <Loading what="the chart" /> : <ChartFigure chart={chart} />;
}

// A chart of web/charts on the page: drawn again when its width changes, with its caption, its legend, and its data as a table.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Chart } from '../charts/chart.ts';

export function ChartFigure({ chart }: { readonly chart: Chart }) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    const resized = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    resized.observe(current);
    return () => resized.disconnect();
  }, []);
  useEffect(() => {
    if (width > 0) place.current?.replaceChildren(chart.draw({ document, width }));
  }, [chart, width]);
  return (
    <figure class={`chart ${chart.room}`}>
      <figcaption>
        <strong>{chart.title}</strong>
        <p>{chart.caption}</p>
      </figcaption>
      <Legend legend={chart.legend} />
      <div class="drawn" ref={place} />
      <details>
        <summary>Data</summary>
        <section class="scroll" aria-label={`Data: ${chart.title}`} tabIndex={0}>
          <table>
            <thead>
              <tr>
                {chart.table.columns.map((column) => (
                  <th key={column} scope="col">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {chart.table.rows.map((row) => (
                <tr key={row.join('\t')}>
                  {row.map((cell, index) => (
                    <td key={chart.table.columns[index]}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </figure>
  );
}

function Legend({ legend }: { readonly legend: Chart['legend'] }) {
  if (legend === null) return null;
  if (legend.kind !== 'series')
    return (
      <p class="legend">
        {legend.from} <span class={legend.kind} aria-hidden="true" /> {legend.to}
      </p>
    );
  return (
    <ul class="legend">
      {legend.entries.map(({ name, colour }) => (
        <li key={name}>
          <i aria-hidden="true" style={{ background: colour }} />
          {name}
        </li>
      ))}
    </ul>
  );
}

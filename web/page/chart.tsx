// A chart of web/charts on the page: drawn again when its width changes, with its caption, its legend, and its data as a table.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Chart, Place } from '../charts/chart.ts';

interface ChartFigureProps {
  readonly chart: Chart;
  /** The address that a mark leads to; the same function as long as the addresses are the same. */
  readonly link?: (place: Place) => string;
}

export function ChartFigure({ chart, link }: ChartFigureProps) {
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
    if (width === 0) return;
    const drawn = chart.draw({ document, width, ...(link === undefined ? {} : { link }) });
    place.current?.replaceChildren(drawn);
    return withOneStop(drawn);
  }, [chart, width, link]);
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

/** A chart of many links is one stop of the Tab key; the arrow keys go to the nearest link in their direction. */
function withOneStop(drawn: SVGSVGElement): () => void {
  const links = [...drawn.querySelectorAll('a')];
  for (const [index, link] of links.entries()) link.setAttribute('tabindex', index === 0 ? '0' : '-1');
  const onKey = (event: KeyboardEvent): void => {
    const direction = directions[event.key];
    const from = links.find((one) => one === event.target);
    const to = direction === undefined || from === undefined ? undefined : nearest(from, links, direction);
    if (to === undefined) return;
    event.preventDefault();
    for (const one of links) one.setAttribute('tabindex', one === to ? '0' : '-1');
    to.focus();
  };
  drawn.addEventListener('keydown', onKey);
  return () => drawn.removeEventListener('keydown', onKey);
}

const directions: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

function nearest<Link extends Element>(
  from: Link,
  links: readonly Link[],
  [x, y]: readonly [number, number],
): Link | undefined {
  const start = centreOf(from);
  const found = links.flatMap((link) => {
    const end = centreOf(link);
    const [right, down] = [end.x - start.x, end.y - start.y];
    const along = right * x + down * y;
    const beside = Math.abs(right * y) + Math.abs(down * x);
    return along < 1 ? [] : [{ link, distance: along + 3 * beside }];
  });
  return found.toSorted((one, other) => one.distance - other.distance)[0]?.link;
}

function centreOf(element: Element): { readonly x: number; readonly y: number } {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
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

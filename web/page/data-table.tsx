// A table that can be sorted by its headings and whose rows are drawn only where they are seen, so that 100,000 rows scroll smoothly.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

export interface Column<Row> {
  /** Unique; also the value of `sort`. */
  readonly id: string;
  readonly title: ComponentChildren;
  readonly align?: 'right';
  /** In letters: without it, a table of which only a part is drawn changes its columns while it is scrolled. */
  readonly width?: number;
  readonly cell: (row: Row) => ComponentChildren;
  /** What rows are sorted by; without it the column is not sorted. Nulls come last. */
  readonly sorted?: (row: Row) => string | number | null;
}

interface DataTableProps<Row> {
  readonly caption: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string | number;
  /** `valid` or, descending, `-valid`; null: as given. */
  readonly sort?: string | null;
  readonly onSort?: (sort: string) => void;
  /** Tables up to this length are drawn whole, with rows as high as they need. */
  readonly mostWhole?: number;
}

const rowHeight = 30;
/** The rows beyond what is seen, and the step in which the drawn rows change. */
const beyond = 16;
const step = 8;
/** The rows that are drawn before the height of the table is known. */
const mostBefore = 60;
/** Of drawn rows that are remembered. */
const mostDrawn = 400;

export function DataTable<Row>({
  caption,
  rows,
  columns,
  keyOf,
  sort = null,
  onSort,
  mostWhole = 200,
}: DataTableProps<Row>) {
  const sorted = useMemo(() => sortedRows(rows, columns, sort), [rows, columns, sort]);
  const box = useRef<HTMLDivElement>(null);
  const isWhole = sorted.length <= mostWhole;
  const [first, last] = useWindow(box, sorted.length, isWhole);
  const shown = isWhole ? sorted : sorted.slice(first, last);
  // With known widths the browser need not look at every cell while rows are scrolled.
  const isFixed = !isWhole && columns.every(({ width }) => width !== undefined);
  const letters = columns.reduce((sum, { width = 0 }) => sum + width, 0);
  const rowAt = useDrawnRows(sorted, columns, keyOf);
  return (
    <section
      ref={box}
      class={isWhole ? 'scroll' : 'scroll window'}
      aria-label={caption}
      // A region that scrolls needs the keyboard.
      tabIndex={0}
    >
      <table
        aria-rowcount={sorted.length + 1}
        style={isFixed ? { tableLayout: 'fixed', width: widthOf(letters, columns.length) } : {}}
      >
        <caption class="hidden">{caption}</caption>
        {isFixed && (
          <colgroup>
            {columns.map(({ id, width = 0 }) => (
              <col key={id} style={{ width: widthOf(width, 1) }} />
            ))}
          </colgroup>
        )}
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {!isWhole && <Gap rows={first} columns={columns.length} />}
          {shown.map((row, index) => rowAt(row, isWhole ? null : first + index))}
          {!isWhole && <Gap rows={sorted.length - last} columns={columns.length} />}
        </tbody>
      </table>
    </section>
  );
}

function widthOf(letters: number, columns: number): string {
  return `calc(${letters}ch + ${0.9 * columns}rem)`;
}

/** Rows are drawn once: scrolling shows the same ones again, which Preact then skips. */
function useDrawnRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  keyOf: DataTableProps<Row>['keyOf'],
): (row: Row, index: number | null) => ComponentChildren {
  const drawn = useMemo(() => new Map<number, ComponentChildren>(), [rows, columns]);
  return (row, index) => {
    const known = index === null ? undefined : drawn.get(index);
    if (known !== undefined) return known;
    const made = (
      <tr key={keyOf(row)} {...(index === null ? {} : { 'aria-rowindex': index + 2 })}>
        {columns.map(({ id, align, cell }) => (
          <td key={id} class={align === 'right' ? 'right' : undefined}>
            {cell(row)}
          </td>
        ))}
      </tr>
    );
    if (drawn.size > mostDrawn) drawn.clear();
    if (index !== null) drawn.set(index, made);
    return made;
  };
}

function Gap({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  return rows <= 0 ? null : (
    <tr>
      <td colSpan={columns} class="gap" style={{ height: `${rows * rowHeight}px` }} />
    </tr>
  );
}

interface HeadingProps<Row> {
  readonly column: Column<Row>;
  readonly sort: string | null;
  readonly onSort: ((sort: string) => void) | undefined;
}

function Heading<Row>({ column: { id, title, align, sorted }, sort, onSort }: HeadingProps<Row>) {
  const isUp = sort === id;
  const isDown = sort === `-${id}`;
  const isSortable = sorted !== undefined && onSort !== undefined;
  return (
    <th
      scope="col"
      class={align === 'right' ? 'right' : undefined}
      {...(isSortable ? { 'aria-sort': isUp ? 'ascending' : isDown ? 'descending' : 'none' } : {})}
    >
      {isSortable ? (
        <button
          type="button"
          class="sort"
          onClick={() => onSort(isDown ? id : isUp ? `-${id}` : align === 'right' ? `-${id}` : id)}
        >
          {title}
          <span aria-hidden="true">{isUp ? ' ▲' : isDown ? ' ▼' : ''}</span>
        </button>
      ) : (
        title
      )}
    </th>
  );
}

function sortedRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: string | null): readonly Row[] {
  if (sort === null) return rows;
  const isDown = sort.startsWith('-');
  const by = columns.find(({ id }) => id === sort.replace(/^-/, ''))?.sorted;
  if (by === undefined) return rows;
  return rows.toSorted((one, other) => {
    const [a, b] = [by(one), by(other)];
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    const order =
      typeof a === 'number' && typeof b === 'number'
        ? a - b
        : String(a).localeCompare(String(b), 'en', { numeric: true });
    return isDown ? -order : order;
  });
}

/** The rows that are seen, with some beyond; updated once a frame while scrolling. */
function useWindow(
  box: { readonly current: HTMLElement | null },
  rows: number,
  isWhole: boolean,
): readonly [number, number] {
  const [range, setRange] = useState<readonly [number, number]>([0, mostBefore]);
  useLayoutEffect(() => {
    const { current } = box;
    if (isWhole || current === null) return;
    let frame = 0;
    const update = (): void => {
      frame = 0;
      const seen = Math.floor(current.scrollTop / rowHeight / step) * step;
      const start = Math.max(0, seen - beyond);
      const end = Math.min(rows, seen + Math.ceil(current.clientHeight / rowHeight) + step + beyond);
      setRange(([before, after]) => (before === start && after === end ? [before, after] : [start, end]));
    };
    const onScroll = (): void => {
      if (frame === 0) frame = requestAnimationFrame(update);
    };
    update();
    current.addEventListener('scroll', onScroll, { passive: true });
    const resized = new ResizeObserver(update);
    resized.observe(current);
    return () => {
      cancelAnimationFrame(frame);
      current.removeEventListener('scroll', onScroll);
      resized.disconnect();
    };
  }, [rows, isWhole]);
  return range;
}

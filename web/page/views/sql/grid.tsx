// The rows of a result as a grid, and one row in full.
import { useMemo } from 'preact/hooks';
import type { SqlResult, SqlValue } from '../../../../schemas/sql-output.ts';
import { type Column, DataTable } from '../../data-table.tsx';
import { Plain } from '../../parts.tsx';
import { exactText, kindOf, numberOf, type SqlColumn, type SqlRow, type ValueKind, valueText } from './values.ts';

interface GridProps {
  readonly answer: SqlResult;
  readonly sort: string | null;
  /** The number of the row that is shown in full, from 1. */
  readonly opened: number | null;
  readonly onSort: (sort: string) => void;
  readonly onOpen: (row: number | null) => void;
}

interface NumberedRow {
  readonly number: number;
  readonly values: SqlRow;
}

/** More of a text is in the row in full. */
const mostLetters = 160;

export function Grid({ answer, sort, opened, onSort, onOpen }: GridProps) {
  const { columns: named, rows } = answer;
  const numbered = useMemo(() => rows.map((values, index): NumberedRow => ({ number: index + 1, values })), [rows]);
  const columns = useMemo((): readonly Column<NumberedRow>[] => {
    const number: Column<NumberedRow> = {
      // No column of a result has an empty name.
      id: '',
      title: <span class="hidden">Row</span>,
      align: 'right',
      width: String(rows.length).length + 2,
      cell: ({ number: at }) => (
        <button type="button" class="row-number" aria-label={`Row ${at} in full`} onClick={() => onOpen(at)}>
          {at}
        </button>
      ),
    };
    return [number, ...named.map((column) => gridColumn(column, rows))];
  }, [named, rows]);
  const shown = opened === null ? undefined : rows[opened - 1];
  return (
    <>
      <DataTable
        caption="Result"
        rows={numbered}
        columns={columns}
        keyOf={({ number }) => number}
        sort={sort}
        onSort={onSort}
      />
      {opened !== null && shown !== undefined && (
        <section class="card row-in-full" aria-label={`Row ${opened} in full`}>
          <h3>
            Row {opened}{' '}
            <button type="button" onClick={() => onOpen(null)}>
              Close
            </button>
          </h3>
          <dl class="facts">
            {named.map((column) => (
              <Field key={column.name} column={column} value={shown[column.name] ?? null} />
            ))}
          </dl>
        </section>
      )}
    </>
  );
}

function Field({ column: { name, type }, value }: { readonly column: SqlColumn; readonly value: SqlValue }) {
  return (
    <>
      <dt>
        <Plain text={name} /> <small>{type}</small>
      </dt>
      <dd>
        {value !== null && typeof value === 'object' ? (
          <pre class="nested">
            <Plain text={JSON.stringify(value, null, 2)} />
          </pre>
        ) : value === null ? (
          <Null />
        ) : (
          <Plain text={exactText(value)} />
        )}
      </dd>
    </>
  );
}

function gridColumn(column: SqlColumn, rows: readonly SqlRow[]): Column<NumberedRow> {
  const { name, type } = column;
  const kind = kindOf(type);
  return {
    id: name,
    title: (
      <>
        <Plain text={name} /> <small>{type.length > 24 ? `${type.slice(0, 22)} …` : type}</small>
      </>
    ),
    ...(kind === 'number' ? { align: 'right' } : {}),
    width: widthOf(column, rows),
    cell: ({ values }) => <Cell value={values[name] ?? null} kind={kind} />,
    sorted: ({ values }) => sortedBy(values[name] ?? null, kind),
  };
}

function Cell({ value, kind }: { readonly value: SqlValue; readonly kind: ValueKind }) {
  if (value === null) return <Null />;
  const text = valueText(value);
  if (kind === 'number') return text === exactText(value) ? text : <span title={exactText(value)}>{text}</span>;
  if (kind === 'nested')
    return (
      <span class="nested">
        <Plain text={text} limit={mostLetters} />
      </span>
    );
  return <Plain text={text} limit={mostLetters} />;
}

function Null() {
  return <span class="null">NULL</span>;
}

function sortedBy(value: SqlValue, kind: ValueKind): string | number | null {
  if (value === null) return null;
  return kind === 'number' ? numberOf(value) : exactText(value);
}

/** In letters: as wide as its longest value among the first rows, so that columns stay where they are while rows are scrolled. */
function widthOf({ name, type }: SqlColumn, rows: readonly SqlRow[]): number {
  const texts = rows.slice(0, 500).map((row) => valueText(row[name] ?? null).length);
  return Math.min(36, Math.max(name.length + Math.min(type.length, 24) + 2, ...texts));
}

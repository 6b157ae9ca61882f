// The tables beside the editor, with the meaning of each and of its columns.
import { useMemo, useState } from 'preact/hooks';
import type { TableRow } from './code-mirror.ts';

interface SchemaProps {
  readonly tables: readonly TableRow[];
  readonly onInsert: (text: string) => void;
  readonly onRun: (sql: string) => void;
}

export function Schema({ tables, onInsert, onRun }: SchemaProps) {
  const [wanted, setWanted] = useState('');
  const found = useMemo(() => matching(tables, wanted.trim().toLowerCase()), [tables, wanted]);
  return (
    <>
      <label class="find">
        <span class="hidden">Find a table or a column</span>
        <input
          type="search"
          placeholder="Find a table or a column"
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
      </label>
      {found.length === 0 && <p class="quiet">No table and no column contains “{wanted}”.</p>}
      <ul class="tables">
        {found.map(({ table, isOpen }) => (
          <li key={table.name}>
            <Table key={String(isOpen)} table={table} isOpen={isOpen} onInsert={onInsert} onRun={onRun} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Table({
  table: { name, meaning, columns },
  isOpen,
  onInsert,
  onRun,
}: Omit<SchemaProps, 'tables'> & { readonly table: TableRow; readonly isOpen: boolean }) {
  const [isShown, setShown] = useState(isOpen);
  return (
    <details open={isShown} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>
        <code>{name}</code>
      </summary>
      {isShown && (
        <>
          <p>{meaning}</p>
          <p>
            <button type="button" onClick={() => onRun(`FROM ${name} LIMIT 100`)}>
              Show rows
            </button>
          </p>
          <ul class="columns">
            {columns.map((column) => (
              <li key={column.name}>
                <button type="button" aria-label={`Insert ${column.name}`} onClick={() => onInsert(column.name)}>
                  {column.name}
                </button>{' '}
                <small>{column.type}</small>
                <p>{column.meaning}</p>
              </li>
            ))}
          </ul>
        </>
      )}
    </details>
  );
}

interface Found {
  readonly table: TableRow;
  /** Shown with its columns, because one of them was looked for. */
  readonly isOpen: boolean;
}

/** A table that is looked for by its own name has all its columns; otherwise only those that match. */
function matching(tables: readonly TableRow[], wanted: string): readonly Found[] {
  if (wanted === '') return tables.map((table) => ({ table, isOpen: false }));
  const isNamed = (name: string): boolean => name.toLowerCase().includes(wanted);
  return tables.flatMap((table): Found[] => {
    if (isNamed(table.name)) return [{ table, isOpen: false }];
    const columns = table.columns.filter(({ name }) => isNamed(name));
    return columns.length === 0 ? [] : [{ table: { ...table, columns }, isOpen: true }];
  });
}

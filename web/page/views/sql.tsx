// SQL on the documented tables: the editor, the result as a chart and a grid, and beside them questions, recent queries and the tables.
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ListTables } from '../../../schemas/tables-output.ts';
import { ApiError, useAnswer } from '../api.ts';
import { Answered, Empty, Failed, Plain } from '../parts.tsx';
import { go, hrefOf, replaceQuery } from '../router.ts';
import type { ViewProps } from '../shell.tsx';
import type { FaultPlace } from './sql/code-mirror.ts';
import { Editor, type EditorHandle, type GivenText } from './sql/editor.tsx';
import { Export } from './sql/export.tsx';
import { Grid } from './sql/grid.tsx';
import { Plot } from './sql/plot.tsx';
import { Questions } from './sql/questions.tsx';
import { useRecent } from './sql/recent.ts';
import { mostRows, type Query, type Result, useQuery } from './sql/running.ts';
import { Schema } from './sql/schema.tsx';
import './sql.css';

const none: ListTables['rows'] = [];

export function Sql({ route }: ViewProps) {
  const asked = route.query.get('q') ?? '';
  const [draft, setDraft] = useState(asked);
  const [given, setGiven] = useState<GivenText>({ text: asked });
  const put = (sql: string): void => {
    setDraft(sql);
    setGiven({ text: sql });
  };
  const query = useQuery();
  const { recent, add, clear } = useRecent();
  const tables = useAnswer<ListTables>('/tables');
  const editor = useRef<EditorHandle | null>(null);

  // The address is the query: a link, a reload and the way back run it again.
  useEffect(() => {
    if (asked.trim() === '') return;
    put(asked);
    add(asked);
    query.run(asked);
  }, [asked]);
  const run = (sql: string): void => {
    if (sql !== draft) put(sql);
    if (sql.trim() === '') return;
    if (sql === asked) query.run(sql);
    else go(hrefOf('sql', '', { ...chosenOf(route), q: sql }));
  };
  const place = useMemo(() => placeOf(query.failure?.fault), [query.failure]);
  // A query that was changed since has its error somewhere else.
  const fault = query.failure?.sql === draft ? place : null;
  return (
    <>
      <h1>SQL</h1>
      <div class="split sql">
        <div>
          <Editor
            text={draft}
            given={given}
            onChange={setDraft}
            onRun={() => run(draft)}
            tables={tables.value?.rows ?? none}
            fault={fault}
            handle={editor}
          />
          <RunBar query={query} isEmpty={draft.trim() === ''} onRun={() => run(draft)} />
          {query.failure !== null && (
            <Fault fault={query.failure.fault} place={place} onGo={(at) => editor.current?.goTo(at)} />
          )}
          {query.result === null && query.began === null && query.failure === null && <Nothing />}
          {query.result !== null && (
            <Shown
              result={query.result}
              isOlder={query.began !== null || query.failure !== null}
              route={route}
              onEdit={(sql) => {
                put(sql);
                editor.current?.focus();
              }}
            />
          )}
        </div>
        <aside class="beside" aria-label="Questions and tables">
          <Fold title="Questions to start from">
            <Questions onRun={run} />
          </Fold>
          <Fold title="Recent queries">
            <Recent queries={recent} onRun={run} onClear={clear} />
          </Fold>
          <Fold title="Tables" isOpen={true}>
            <Answered answer={tables} what="the tables">
              {({ rows }) => <Schema tables={rows} onInsert={(text) => editor.current?.insert(text)} onRun={run} />}
            </Answered>
          </Fold>
        </aside>
      </div>
    </>
  );
}

/** Its content is made, and asks the server, when it is opened. */
function Fold({
  title,
  isOpen = false,
  children,
}: {
  readonly title: string;
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
}) {
  const [isShown, setShown] = useState(isOpen);
  return (
    <details open={isOpen} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>
        <h2>{title}</h2>
      </summary>
      {isShown && children}
    </details>
  );
}

/** What the address says about the chart. */
function chosenOf({ query }: ViewProps['route']): { chart: string; x: string; y: string; series: string } {
  const of = (name: string): string => query.get(name) ?? '';
  return { chart: of('chart'), x: of('x'), y: of('y'), series: of('series') };
}

function placeOf(fault: unknown): FaultPlace | null {
  if (!(fault instanceof ApiError)) return null;
  const { line, column } = fault.facts;
  return typeof line === 'number' && typeof column === 'number' ? { line, column, message: fault.message } : null;
}

function RunBar({
  query: { began, result, wasCancelled, cancel },
  isEmpty,
  onRun,
}: {
  readonly query: Query;
  readonly isEmpty: boolean;
  readonly onRun: () => void;
}) {
  const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
  return (
    <p class="run-bar">
      <button type="button" class="primary" disabled={isEmpty} onClick={onRun}>
        Run
      </button>
      {began !== null && (
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      )}
      <span class="quiet">{isMac ? '⌘' : 'Ctrl'}-Enter runs</span>
      <span class="grow" />
      {began !== null && <Elapsed since={began} />}
      <span role="status" class="quiet">
        {began !== null ? 'Running' : wasCancelled ? 'Cancelled' : result === null ? '' : summaryOf(result)}
      </span>
    </p>
  );
}

function summaryOf({ answer: { rows, columns, truncated }, seconds }: Result): string {
  const count = rows.length.toLocaleString('en');
  const size = truncated ? `The first ${count} rows` : `${count} ${rows.length === 1 ? 'row' : 'rows'}`;
  return `${size}, ${columns.length} ${columns.length === 1 ? 'column' : 'columns'}, ${secondsText(seconds)}`;
}

function secondsText(seconds: number): string {
  return seconds < 1 ? `${Math.round(1000 * seconds)} ms` : `${seconds.toFixed(1)} s`;
}

function Elapsed({ since }: { readonly since: number }) {
  const [now, setNow] = useState(performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 100);
    return () => clearInterval(timer);
  }, []);
  return (
    <span class="number quiet" aria-hidden="true">
      {(Math.max(0, now - since) / 1000).toFixed(1)} s
    </span>
  );
}

function Fault({
  fault,
  place,
  onGo,
}: {
  readonly fault: unknown;
  readonly place: FaultPlace | null;
  readonly onGo: (place: FaultPlace) => void;
}) {
  return (
    <>
      <Failed fault={fault} />
      {place !== null && (
        <button type="button" onClick={() => onGo(place)}>
          Go to line {place.line}, column {place.column}
        </button>
      )}
    </>
  );
}

function Nothing() {
  return (
    <Empty>
      <p>No query has run yet. Type one, or take a question or a table from the list. For example:</p>
      <pre>SELECT run, state, done, valid FROM runs</pre>
    </Empty>
  );
}

function Recent({
  queries,
  onRun,
  onClear,
}: {
  readonly queries: readonly string[];
  readonly onRun: (sql: string) => void;
  readonly onClear: () => void;
}) {
  if (queries.length === 0) return <p class="quiet">Queries that you run are listed here, in this browser only.</p>;
  return (
    <>
      <ul class="queries">
        {queries.map((sql) => (
          <li key={sql}>
            <button type="button" onClick={() => onRun(sql)}>
              <code>
                <Plain text={sql} limit={300} />
              </code>
            </button>
          </li>
        ))}
      </ul>
      <button type="button" onClick={onClear}>
        Forget them
      </button>
    </>
  );
}

function Shown({
  result,
  isOlder,
  route,
  onEdit,
}: {
  readonly result: Result;
  /** Of the query before, while another one runs or after it failed. */
  readonly isOlder: boolean;
  readonly route: ViewProps['route'];
  readonly onEdit: (sql: string) => void;
}) {
  const { answer, sql } = result;
  const row = Number(route.query.get('row'));
  const opened = Number.isInteger(row) && row > 0 ? row : null;
  return (
    <section class={isOlder ? 'result older' : 'result'} aria-label="Result">
      <h2>{isOlder ? 'Result of the query before' : 'Result'}</h2>
      {answer.truncated && (
        <p class="warning">
          These are the first {answer.rows.length.toLocaleString('en')} rows of the result
          {answer.total === null ? '' : `, which has ${answer.total.toLocaleString('en')}`}.
          {answer.rows.length >= mostRows ? ' Filter or aggregate in SQL, or export all rows.' : ''}
        </p>
      )}
      {answer.unknown > 0 && (
        <p class="warning">
          {answer.unknown.toLocaleString('en')} events of types that this version does not know are only in the table
          events.
        </p>
      )}
      {answer.rows.length === 0 ? (
        <Empty>
          <p>The query answered without rows. Its columns: {answer.columns.map(({ name }) => name).join(', ')}.</p>
        </Empty>
      ) : (
        <>
          <Plot
            result={result}
            chosen={chosenOf(route)}
            onChoose={(changed) => replaceQuery(route, changed)}
            onEdit={onEdit}
          />
          <Export sql={sql} answer={answer} />
          <Grid
            answer={answer}
            sort={route.query.get('sort')}
            opened={opened}
            onSort={(sort) => replaceQuery(route, { sort })}
            onOpen={(number) => replaceQuery(route, { row: number })}
          />
        </>
      )}
    </section>
  );
}

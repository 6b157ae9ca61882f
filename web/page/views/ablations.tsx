// The ablations of the ledger, newest first.
import type { SqlResult } from '../../../schemas/sql-output.ts';
import { useAnswer, useLiveVersion } from '../api.ts';
import { type Column, DataTable } from '../data-table.tsx';
import { Answered, Empty, Moment, Plain } from '../parts.tsx';
import { hrefOf, replaceQuery } from '../router.ts';
import type { ViewProps } from '../shell.tsx';
import './ablation.css';

const query = `SELECT a.ablation, coalesce(a.name, a.ablation) AS name, a.completed, a.depth, a.arms, a.preset, a.notes,
  len(a.seeds) AS seeds,
  (SELECT list(coalesce(r.run, id) ORDER BY id) FROM unnest(a.runs) AS t(id) LEFT JOIN runs AS r ON r.run_id = id) AS histories,
  (SELECT count(*) FROM arms AS m WHERE m.ablation = a.ablation AND m.errored) AS errored,
  (SELECT count(*) FROM contrasts AS c WHERE c.ablation = a.ablation AND c.measure = a.primary_measure) AS contrasts,
  (SELECT count(*) FROM contrasts AS c WHERE c.ablation = a.ablation AND c.measure = a.primary_measure AND c.verdict = 'significant') AS significant,
  a.primary_measure AS measure, a.started_at
FROM ablations AS a ORDER BY a.started_at DESC`;

interface Row {
  readonly ablation: string;
  readonly name: string;
  readonly completed: boolean;
  readonly depth: string;
  readonly arms: number;
  readonly preset: string | null;
  readonly notes: string | null;
  readonly seeds: number;
  readonly histories: readonly string[];
  readonly errored: number;
  readonly contrasts: number;
  readonly significant: number;
  readonly measure: string | null;
  readonly started_at: string | null;
}

const path = `/sql?${new URLSearchParams({ query, limit: '1000' })}`;

export function Ablations({ route }: ViewProps) {
  const version = useLiveVersion(['AblationStarted', 'AblationCompleted', 'ArmErrored']);
  const answer = useAnswer<SqlResult>(path, version);
  return (
    <>
      <h1>Ablations</h1>
      <p class="subtitle">The decisions of a history, made again with other contexts and engineers.</p>
      <Answered answer={answer} what="the ablations">
        {({ rows }) => <List rows={rows as unknown as readonly Row[]} route={route} />}
      </Answered>
    </>
  );
}

function List({ rows, route }: ViewProps & { readonly rows: readonly Row[] }) {
  if (rows.length === 0)
    return (
      <Empty>
        <p>This ledger has no ablation yet. Ask whether other contexts or engineers would have decided better:</p>
        <pre>icecore ablate latest --engineer rules,uniform --context failures,stats</pre>
      </Empty>
    );
  return (
    <DataTable
      caption="Ablations"
      rows={rows}
      columns={columns}
      keyOf={({ ablation }) => ablation}
      sort={route.query.get('sort')}
      onSort={(sort) => replaceQuery(route, { sort })}
    />
  );
}

const columns: readonly Column<Row>[] = [
  {
    id: 'name',
    title: 'Ablation',
    cell: ({ ablation, name, notes }) => (
      <>
        <a href={hrefOf('ablation', ablation)}>
          <Plain text={name} />
        </a>
        {notes !== null && (
          <span class="quiet">
            {' '}
            <Plain text={notes} limit={80} />
          </span>
        )}
      </>
    ),
    sorted: ({ name }) => name,
  },
  {
    id: 'state',
    title: 'State',
    cell: ({ completed }) => <span class="state">{completed ? 'completed' : 'under way'}</span>,
    sorted: ({ completed }) => (completed ? 'completed' : 'under way'),
  },
  { id: 'depth', title: 'Depth', cell: ({ depth }) => depth, sorted: ({ depth }) => depth },
  { id: 'histories', title: 'Histories', cell: ({ histories }) => <Histories names={histories} /> },
  { id: 'arms', title: 'Arms', align: 'right', cell: ({ arms }) => arms, sorted: ({ arms }) => arms },
  { id: 'seeds', title: 'Seeds', align: 'right', cell: ({ seeds }) => seeds, sorted: ({ seeds }) => seeds },
  { id: 'found', title: 'Result', cell: (row) => <Found row={row} />, sorted: ({ significant }) => significant },
  {
    id: 'started',
    title: 'Started',
    cell: ({ started_at }) => <Moment at={started_at} />,
    sorted: ({ started_at }) => started_at,
  },
];

const mostNames = 4;

function Histories({ names }: { readonly names: readonly string[] }) {
  const rest = names.length - mostNames;
  return (
    <>
      {names.slice(0, mostNames).map((name, index) => (
        <span key={name}>
          {index === 0 ? '' : ', '}
          <a href={hrefOf('run', name)}>
            <Plain text={name} />
          </a>
        </span>
      ))}
      {rest > 0 ? ` and ${rest} more` : ''}
    </>
  );
}

function Found({ row: { completed, contrasts, significant, measure, errored } }: { readonly row: Row }) {
  const result = !completed
    ? 'not there yet'
    : contrasts === 0
      ? 'nothing compared'
      : `${significant} of ${contrasts} contrasts significant by ${measure}`;
  return (
    <>
      <span class={significant > 0 ? '' : 'quiet'}>{result}</span>
      {errored > 0 && <span class="warning">, ✕ {errored} errored</span>}
    </>
  );
}

// The ablations of the ledger, newest first.
import { useMemo } from 'preact/hooks';
import type { ListAblations } from '../../../schemas/list-output.ts';
import type { SqlResult } from '../../../schemas/sql-output.ts';
import { useAnswer } from '../api.ts';
import { type Column, DataTable } from '../data-table.tsx';
import { useLiveVersion } from '../live.ts';
import { Answered, Empty, Moment, Plain } from '../parts.tsx';
import { hrefOf, replaceQuery } from '../router.ts';
import type { ViewProps } from '../shell.tsx';
import './ablation.css';

type Row = ListAblations['rows'][number];

/** What their ends recorded, by ablation; the list does not wait for it. */
const query = `SELECT a.ablation, a.primary_measure AS measure,
  (SELECT count(*) FROM arms AS m WHERE m.ablation = a.ablation AND m.errored) AS errored,
  count(c.p) AS tested, count(*) FILTER (c.verdict = 'significant') AS significant
FROM ablations AS a LEFT JOIN contrasts AS c ON c.ablation = a.ablation AND c.measure = a.primary_measure
GROUP BY ALL`;

interface Found {
  readonly ablation: string;
  readonly measure: string | null;
  readonly errored: number;
  readonly tested: number;
  readonly significant: number;
}

const path = `/sql?${new URLSearchParams({ query, limit: '10000' })}`;

export function Ablations({ route }: ViewProps) {
  const version = useLiveVersion(['AblationStarted', 'AblationCompleted', 'ArmErrored']);
  const answer = useAnswer<ListAblations>('/ablations', version);
  const found = useAnswer<SqlResult>(path, version);
  const byAblation = useMemo(
    () => new Map((found.value?.rows as unknown as readonly Found[] | undefined)?.map((one) => [one.ablation, one])),
    [found.value],
  );
  return (
    <>
      <h1>Ablations</h1>
      <p class="subtitle">The decisions of a history, made again with other contexts and engineers.</p>
      <Answered answer={answer} what="the ablations">
        {({ rows }) => <List rows={rows} found={byAblation} route={route} />}
      </Answered>
    </>
  );
}

function List({
  rows,
  found,
  route,
}: ViewProps & { readonly rows: readonly Row[]; readonly found: ReadonlyMap<string, Found> }) {
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
      columns={columnsWith(found)}
      keyOf={({ ablation }) => ablation}
      sort={route.query.get('sort')}
      onSort={(sort) => replaceQuery(route, { sort })}
    />
  );
}

function columnsWith(found: ReadonlyMap<string, Found>): readonly Column<Row>[] {
  return [
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
      cell: ({ state }) => <span class="state">{state}</span>,
      sorted: ({ state }) => state,
    },
    { id: 'depth', title: 'Depth', cell: ({ depth }) => depth ?? '–', sorted: ({ depth }) => depth },
    {
      id: 'histories',
      title: 'Histories',
      cell: ({ histories }) => <Histories names={histories.map(({ name, run }) => name ?? run)} />,
    },
    { id: 'arms', title: 'Arms', align: 'right', cell: ({ arms }) => arms.length, sorted: ({ arms }) => arms.length },
    {
      id: 'seeds',
      title: 'Seeds',
      align: 'right',
      cell: ({ seeds }) => seeds ?? '',
      sorted: ({ seeds }) => seeds,
    },
    {
      id: 'result',
      title: 'Result',
      cell: ({ ablation, state }) => <Result found={found.get(ablation)} isOver={state === 'completed'} />,
      sorted: ({ ablation }) => found.get(ablation)?.significant ?? null,
    },
    { id: 'started', title: 'Started', cell: ({ at }) => <Moment at={at} />, sorted: ({ at }) => at },
  ];
}

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

function Result({ found, isOver }: { readonly found: Found | undefined; readonly isOver: boolean }) {
  if (found === undefined) return null;
  const { tested, significant, measure, errored } = found;
  const result = !isOver
    ? 'not there yet'
    : tested === 0
      ? 'nothing tested'
      : `${significant} of ${tested} tested contrasts significant by ${measure}`;
  return (
    <>
      <span class={significant > 0 ? '' : 'quiet'}>{result}</span>
      {errored > 0 && <span class="warning">, ✕ {errored} errored</span>}
    </>
  );
}

// One page of rollouts, as a table or as small drawings. The arrow keys go from row to row, Enter opens.
import type { TargetedKeyboardEvent } from 'preact';
import type { RolloutsPage } from '../../../schemas/server-output.ts';
import { numberWords } from '../../charts/words.ts';
import { type Column, DataTable } from '../data-table.tsx';
import { Plain } from '../parts.tsx';
import type { Place } from '../place.ts';
import { type RolloutFilter, withinQuery } from '../rollout-filter.ts';
import { RolloutPicture } from '../rollout-picture.tsx';
import { hrefOf } from '../router.ts';

type Row = RolloutsPage['rows'][number];

interface PageProps {
  readonly page: RolloutsPage;
  readonly place: Place;
  readonly filter: RolloutFilter;
}

function hrefTo({ id }: Row, { place, filter }: PageProps): string {
  return hrefOf('rollout', id, withinQuery(place.run, place.stage, filter));
}

export function RolloutTable(props: PageProps) {
  const { page, place } = props;
  return (
    <div class="rollout-table" role="group" aria-label="Rows" onKeyDown={(event) => moveAmong('a.open', event)}>
      <DataTable
        caption="Rollouts"
        rows={page.rows}
        columns={columnsOf(props, place.stage === null)}
        keyOf={({ id }) => id}
      />
    </div>
  );
}

function columnsOf(props: PageProps, hasStages: boolean): readonly Column<Row>[] {
  const text = (id: string, title: string, value: (row: Row) => string | null): Column<Row> => ({
    ...{ id, title },
    cell: (row) => {
      const found = value(row);
      return found === null ? <span class="quiet">–</span> : <Plain text={found} limit={40} />;
    },
  });
  const number = (id: string, title: string, value: (row: Row) => number | null): Column<Row> => ({
    ...{ id, title, align: 'right' as const },
    cell: (row) => {
      const found = value(row);
      return found === null ? <span class="quiet">–</span> : numberWords(found);
    },
  });
  return [
    {
      id: 'outcome',
      title: 'Outcome',
      cell: (row) => (
        <a class="open" href={hrefTo(row, props)}>
          <Mark row={row} /> <Plain text={row.outcome ?? 'unknown'} limit={40} />
        </a>
      ),
    },
    ...(hasStages ? [number('stage', 'Stage', ({ stage }) => stage)] : []),
    text('split', 'Split', ({ split }) => split),
    text('family', 'Family', ({ family }) => family),
    text('task', 'Task', ({ task }) => task),
    number('sample', 'Sample', ({ sample }) => sample),
    number('reward', 'Reward', ({ reward }) => reward),
    number('steps', 'Steps', ({ agent_steps: steps }) => steps),
    text('failure', 'Failure', ({ failure_class: failureClass }) => failureClass),
    ...(props.page.rows.some(({ error_kind: kind }) => kind !== null)
      ? [text('error', 'Error', ({ error_kind: kind }) => kind)]
      : []),
  ];
}

/** Never by colour alone. */
function Mark({ row: { success } }: { readonly row: Row }) {
  if (success === null) return <span class="quiet">?</span>;
  return (
    <span class={success ? 'good' : 'bad'}>
      <span aria-hidden="true">{success ? '✓' : '✗'}</span>
      <span class="hidden">{success ? 'solved:' : 'not solved:'}</span>
    </span>
  );
}

export function RolloutGallery(props: PageProps) {
  return (
    <ul class="gallery" onKeyDown={(event) => moveAmong('a.open', event)}>
      {props.page.rows.map((row) => (
        <li key={row.id}>
          <a class="open" href={hrefTo(row, props)}>
            <RolloutPicture event={row.id} alt="" />
            <span>
              <Mark row={row} /> <Plain text={row.outcome ?? 'unknown'} limit={40} />
              <span class="quiet">
                {row.family === null ? '' : ` · family ${row.family}`}
                {row.agent_steps === null ? '' : ` · ${row.agent_steps} steps`}
                {props.place.stage === null && row.stage !== null ? ` · stage ${row.stage}` : ''}
              </span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Down and up (in a gallery also right and left) move the focus among these links. */
function moveAmong(selector: string, event: TargetedKeyboardEvent<HTMLElement>): void {
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  const next = step === undefined || at === -1 ? undefined : links[at + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

// The columns of the table of runs.
import type { RunRow } from '../../../schemas/run-output.ts';
import type { Column } from '../data-table.tsx';
import type { Source } from '../menu.tsx';
import { Moment, Plain, Rate, RunLink } from '../parts.tsx';
import { rateSource } from '../sources.ts';
import { Sparkline } from '../sparkline.tsx';
import type { Courses } from './runs-courses.ts';
import type { Setting } from './runs-settings.ts';
import { StateWords } from './state.tsx';

interface Columns {
  readonly selected: readonly string[];
  readonly onSelect: (run: string, isSelected: boolean) => void;
  readonly courses: Courses;
  readonly nameFor: (run: RunRow) => string;
  readonly tagHref: (tag: string) => string;
}

/** What to call a run in commands and addresses: its name, or its identity if others have the same name. */
export function nameOf(rows: readonly RunRow[]): (run: RunRow) => string {
  const counts = new Map<string, number>();
  for (const { name } of rows) counts.set(name, (counts.get(name) ?? 0) + 1);
  return ({ run, name }) => (counts.get(name) === 1 ? name : run);
}

export function columnsOf({ selected, onSelect, courses, nameFor, tagHref }: Columns): readonly Column<RunRow>[] {
  const chosen = new Set(selected);
  return [
    {
      id: 'select',
      title: <span class="hidden">Select</span>,
      cell: (run) => (
        <input
          type="checkbox"
          aria-label={`Select ${nameFor(run)}`}
          checked={chosen.has(nameFor(run))}
          onChange={(event) => onSelect(nameFor(run), event.currentTarget.checked)}
        />
      ),
    },
    {
      id: 'name',
      title: 'run',
      sorted: ({ name }) => name,
      cell: (run) => (
        <>
          <RunLink run={nameFor(run)}>
            <Plain text={run.name} limit={60} />
          </RunLink>
          {nameFor(run) !== run.name && <span class="quiet"> {run.run}</span>}
        </>
      ),
    },
    {
      id: 'state',
      title: 'state',
      sorted: ({ state }) => state,
      cell: (run) => <StateWords of={nameFor(run)} run={run} />,
    },
    {
      id: 'stages',
      title: 'stages',
      align: 'right',
      sorted: ({ done }) => done,
      cell: ({ done, planned }) => (planned === null ? done : `${done} of ${planned}`),
    },
    {
      id: 'valid',
      title: 'valid rate',
      align: 'right',
      sorted: ({ validation }) => validation?.valid.value ?? null,
      cell: (run) => <LastRate run={run} name={nameFor(run)} measure="valid" />,
    },
    {
      id: 'optimal',
      title: 'optimal rate',
      align: 'right',
      sorted: ({ validation }) => validation?.optimal.value ?? null,
      cell: (run) => <LastRate run={run} name={nameFor(run)} measure="optimal" />,
    },
    {
      id: 'course',
      title: 'valid rate by stage',
      cell: ({ run }) =>
        courses.of === null ? (
          <span class="quiet">…</span>
        ) : (
          <Sparkline values={courses.of.get(run) ?? []} most={courses.most} what="valid rate over stages" />
        ),
    },
    textColumn('environment', 'environment', ({ environment }) => environment),
    textColumn('engineer', 'engineer', ({ engineer }) => engineer),
    textColumn('context', 'context', ({ form }) => form),
    { id: 'started', title: 'started', sorted: ({ at }) => at, cell: ({ at }) => <Moment at={at} /> },
    {
      id: 'tags',
      title: 'tags',
      cell: ({ tags }) =>
        tags.map((tag) => (
          <>
            <a class="tag" href={tagHref(tag)}>
              <Plain text={tag} limit={40} />
            </a>{' '}
          </>
        )),
    },
  ];
}

function textColumn(id: string, title: string, textOf: (run: RunRow) => string | null): Column<RunRow> {
  return {
    id,
    title,
    sorted: textOf,
    cell: (run) => {
      const text = textOf(run);
      return text === null ? <span class="quiet">–</span> : <Plain text={text} limit={40} />;
    },
  };
}

function LastRate({
  run,
  name,
  measure,
}: {
  readonly run: RunRow;
  readonly name: string;
  readonly measure: 'valid' | 'optimal';
}) {
  const { validation } = run;
  if (validation === null) return <span class="quiet">–</span>;
  const source: Source = rateSource({ run: name, id: run.run, stage: validation.stage, measure });
  return <Rate rate={validation[measure]} source={source} />;
}

export function settingColumns(settings: readonly Setting[]): readonly Column<RunRow>[] {
  return settings.map(({ name, of }) => ({
    id: `set.${name}`,
    title: <Plain text={name} limit={40} />,
    sorted: ({ run }) => of.get(run) ?? null,
    cell: ({ run }) => <Plain text={of.get(run) ?? ''} limit={60} />,
  }));
}

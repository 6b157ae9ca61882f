// The rollouts of a run or a stage: filters from what is recorded, a table or a gallery, page by page.
import type { RunShown } from '../../../schemas/run-output.ts';
import type { RolloutsPage } from '../../../schemas/server-output.ts';
import { type Answer, useAnswer } from '../api.ts';
import { useLiveVersion } from '../live.ts';
import { Figure } from '../menu.tsx';
import { Answered, Empty, Plain, RunTabs } from '../parts.tsx';
import { type Place, placeIn, placeText, type Rows, runPath, shellWord, sqlPath } from '../place.ts';
import {
  choicesOf,
  type FilterName,
  filterIn,
  filterWords,
  type Kind,
  kindsQuery,
  pagePath,
  type RolloutFilter,
  solvedWords,
  totalsOf,
  whereOf,
} from '../rollout-filter.ts';
import { hrefOf, type Route, replaceQuery } from '../router.ts';
import type { ViewProps } from '../shell.tsx';
import { StagePicker } from '../stage-picker.tsx';
import { countWords } from '../words.ts';
import { RolloutGallery, RolloutTable } from './rollouts-page.tsx';
import './rollouts.css';

const perPage = { table: 100, gallery: 24 } as const;

export function Rollouts({ route }: ViewProps) {
  const { run, stage } = placeIn(route.of);
  const filter = filterIn(route.query);
  const mode = route.query.get('mode') === 'gallery' ? 'gallery' : 'table';
  const after = route.query.get('after');
  const version = useLiveVersion(['EvidenceSealed', 'StageCompleted'], run);
  const shown = useAnswer<RunShown>(runPath(run), version);
  const id = shown.state === 'ready' ? shown.value.run : null;
  const kinds = useAnswer<Rows<Kind>>(id === null ? null : sqlPath(kindsQuery(id, stage), mostKinds), version);
  const page = useAnswer<RolloutsPage>(pagePath(route.of, filter, { after, limit: perPage[mode] }), version);
  return (
    <>
      <RunTabs run={run} at="rollouts" stage={stage} />
      <header class="stage-head">
        <h1>
          Rollouts of <Plain text={route.of} />
        </h1>
        {shown.state === 'ready' && (
          <StagePicker
            view="rollouts"
            run={run}
            at={typeof stage === 'number' ? stage : null}
            stages={shown.value.stages.map((one) => one.stage)}
            all="All stages"
            query={{ ...filter, mode: mode === 'gallery' ? mode : null }}
          />
        )}
      </header>
      <Totals kinds={kinds} filter={filter} run={run} id={id} stage={stage} />
      <Filters kinds={kindsIn(kinds)} filter={filter} route={route} mode={mode} />
      <Answered answer={page} what="rollouts">
        {(value) =>
          value.rows.length === 0 ? (
            <NoRollouts route={route} filter={filter} after={after} />
          ) : (
            <>
              {mode === 'gallery' ? (
                <RolloutGallery page={value} place={placeIn(route.of)} filter={filter} />
              ) : (
                <RolloutTable page={value} place={placeIn(route.of)} filter={filter} />
              )}
              <Pages page={value} route={route} />
            </>
          )
        }
      </Answered>
    </>
  );
}

/** More kinds than these are no environment's: something unique is recorded as an outcome. */
const mostKinds = 10_000;

function kindsIn(kinds: Answer<Rows<Kind>>): readonly Kind[] {
  return kinds.state === 'ready' ? kinds.value.rows : [];
}

interface TotalsProps {
  readonly kinds: Answer<Rows<Kind>>;
  readonly filter: RolloutFilter;
  readonly run: string;
  readonly id: string | null;
  readonly stage: Place['stage'];
}

function Totals({ kinds, filter, run, id, stage }: TotalsProps) {
  if (kinds.state === 'failed') return null;
  if (kinds.state === 'loading' || id === null) return <p class="subtitle">Counting …</p>;
  const totals = totalsOf(kindsIn(kinds), filter);
  const query = `SELECT count(*) AS rollouts, count(*) FILTER (success) AS solved FROM rollouts WHERE ${whereOf(id, stage, filter)}`;
  const command =
    stage === null ? `icecore show ${shellWord(run)}` : `icecore show ${shellWord(placeText(run, stage))}`;
  return (
    <p class="subtitle" role="status">
      <Figure source={{ command, sql: query }}>
        {countWords(totals.all)} {totals.all === 1 ? 'rollout' : 'rollouts'}
      </Figure>
      {totals.judged > 0 && `, ${solvedWords(totals)}`}
      {filterWords(filter) !== '' && (
        <>
          : <Plain text={filterWords(filter)} />
        </>
      )}
      .
    </p>
  );
}

const titles: Readonly<Record<FilterName, string>> = {
  split: 'Split',
  benchmark: 'Benchmark',
  family: 'Family',
  outcome: 'Outcome',
  failure_class: 'Failure',
  success: 'Solved',
};

interface FiltersProps {
  readonly kinds: readonly Kind[];
  readonly filter: RolloutFilter;
  readonly route: Route;
  readonly mode: 'table' | 'gallery';
}

function Filters({ kinds, filter, route, mode }: FiltersProps) {
  const isFiltered = filterWords(filter) !== '';
  return (
    <div class="controls">
      {(Object.keys(titles) as FilterName[]).map((name) => (
        <label key={name}>
          {titles[name]}
          <select
            value={filter[name] ?? ''}
            onChange={(event) => replaceQuery(route, { [name]: event.currentTarget.value, after: null })}
          >
            <option value="">any</option>
            <Options name={name} kinds={kinds} filter={filter} />
          </select>
        </label>
      ))}
      <button
        type="button"
        disabled={!isFiltered}
        onClick={() =>
          replaceQuery(route, {
            ...filterIn(new URLSearchParams()),
            after: null,
          })
        }
      >
        Clear
      </button>
      <fieldset class="modes">
        <legend class="hidden">Show as</legend>
        {(['table', 'gallery'] as const).map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={mode === one}
            onClick={() => replaceQuery(route, { mode: one === 'table' ? null : one, after: null })}
          >
            {one === 'table' ? 'Table' : 'Gallery'}
          </button>
        ))}
      </fieldset>
    </div>
  );
}

function Options({ name, kinds, filter }: Pick<FiltersProps, 'kinds' | 'filter'> & { readonly name: FilterName }) {
  const choices = choicesOf(name, kinds, filter);
  const chosen = filter[name];
  return (
    <>
      {chosen !== null && choices.every(({ value }) => value !== chosen) && (
        <option value={chosen}>{choiceWords(name, chosen)}</option>
      )}
      {choices.map(({ value, count }) => (
        <option key={value} value={value}>
          {choiceWords(name, value)} ({countWords(count)})
        </option>
      ))}
    </>
  );
}

function choiceWords(name: FilterName, value: string): string {
  return name === 'success' ? (value === 'true' ? 'yes' : 'no') : value;
}

function Pages({ page, route }: { readonly page: RolloutsPage; readonly route: Route }) {
  const { total, before, rows, previous, next } = page;
  const hrefAt = (after: string | null): string =>
    hrefOf(route.view ?? 'rollouts', route.of, { ...Object.fromEntries(route.query), after });
  const isFirst = before === null || before === 0;
  return (
    <nav class="pages" aria-label="Pages">
      {isFirst ? null : <a href={hrefAt(null)}>First</a>}
      {isFirst ? null : <a href={hrefAt(previous)}>← Previous</a>}
      {before !== null && total !== null && (
        <span class="number">
          {countWords(before + 1)}–{countWords(before + rows.length)} of {countWords(total)}
        </span>
      )}
      {next === null ? null : <a href={hrefAt(next)}>Next →</a>}
    </nav>
  );
}

interface NoRolloutsProps {
  readonly route: Route;
  readonly filter: RolloutFilter;
  readonly after: string | null;
}

function NoRollouts({ route, filter, after }: NoRolloutsProps) {
  const words = filterWords(filter);
  return (
    <Empty>
      {after !== null ? (
        <p>
          There are no rollouts after this page.{' '}
          <a href={hrefOf('rollouts', route.of, { ...filter, mode: route.query.get('mode') })}>
            Back to the first page
          </a>
        </p>
      ) : words !== '' ? (
        <p>
          No rollout of <Plain text={route.of} /> has all of this: <Plain text={words} />. Clear a filter; the numbers
          beside the choices say what is there.
        </p>
      ) : (
        <p>
          No rollouts of <Plain text={route.of} /> are recorded yet, or its settings record none. They appear when a
          stage has trained and was evaluated.
        </p>
      )}
    </Empty>
  );
}

// All runs of the ledger: found by words and tags, sorted by any column, selected to compare.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunRow, RunsResult } from '../../../schemas/run-output.ts';
import { ApiError, useAnswer } from '../api.ts';
import { DataTable } from '../data-table.tsx';
import { useLiveVersion } from '../live.ts';
import { CopyLine } from '../menu.tsx';
import { Answered, Empty } from '../parts.tsx';
import { hrefOf, type Query, type Route, replaceQuery } from '../router.ts';
import type { ViewProps } from '../shell.tsx';
import { useCourses } from './runs-courses.ts';
import { differingSettings, useSettings } from './runs-settings.ts';
import { columnsOf, nameOf, settingColumns } from './runs-table.tsx';
import './runs.css';

const changing = [
  'RunStarted',
  'RunTakenOver',
  'StageStarted',
  'StageCompleted',
  'EvaluationRecorded',
  'ConfigAdopted',
  'RunCompleted',
  'RunFailed',
  'RunAnnotated',
];

export function Runs({ route }: ViewProps) {
  const events = useLiveVersion(changing);
  const isAnyRunning = useRef(false);
  const version = events + useClock(isAnyRunning);
  const hasArms = route.query.get('arms') === 'true';
  const answer = useAnswer<RunsResult>(`/runs?limit=10000${hasArms ? '&arms=true' : ''}`, version);
  isAnyRunning.current = answer.value?.rows.some(({ state }) => state === 'running') ?? false;
  return (
    <>
      <h1>Runs</h1>
      {answer.state === 'failed' && isMissing(answer.fault) ? (
        <NoRuns />
      ) : (
        <Answered answer={answer} what="the runs">
          {(runs) => (runs.total === 0 ? <NoRuns /> : <Listed runs={runs} route={route} version={version} />)}
        </Answered>
      )}
    </>
  );
}

/** The ledger itself begins with the first run. */
function isMissing(fault: unknown): boolean {
  return fault instanceof ApiError && fault.status === 404;
}

const leaseMs = 30_000;

/** Nothing is recorded when the process of a run is killed; its claim ends, so the list is asked again from time to time. */
function useClock(isNeeded: { readonly current: boolean }): number {
  const [ticks, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (isNeeded.current && !document.hidden) setTicks((before) => before + 1);
    }, leaseMs);
    return () => clearInterval(timer);
  }, []);
  return ticks;
}

function NoRuns() {
  return (
    <Empty>
      <p>There are no runs in this ledger yet. Start a first one, in the folder of this workspace:</p>
      <p>
        <CopyLine text="icecore run --name first --stages 3 --budget 20k" what="command" />
      </p>
      <p>It trains for a minute or two, and appears here as soon as it starts.</p>
    </Empty>
  );
}

interface ListedProps {
  readonly runs: RunsResult;
  readonly route: Route;
  readonly version: number;
}

function Listed({ runs: { rows, total, armsLeftOut }, route, version }: ListedProps) {
  const { query } = route;
  const [words, tag, sort] = [query.get('q') ?? '', query.get('tag') ?? '', query.get('sort')];
  const [selected, isComparingSettings] = [query.getAll('select'), query.get('settings') === 'true'];
  const courses = useCourses(version);
  const settings = useSettings(isComparingSettings, version);
  const set = (changed: Query): void => replaceQuery(route, changed);
  const shown = rows.filter((run) => (tag === '' || run.tags.includes(tag)) && matches(run, words));
  const nameFor = nameOf(rows);
  const differing = settings.state === 'ready' ? differingSettings(shown, settings.value) : [];
  const onSelect = (run: string, isSelected: boolean): void =>
    set({ select: isSelected ? [...selected, run] : selected.filter((one) => one !== run) });
  const columns = [
    ...columnsOf({ selected, onSelect, courses, nameFor, tagHref: (one) => tagHref(route, one) }),
    ...settingColumns(differing),
  ];
  return (
    <>
      <form class="controls" onSubmit={(event) => event.preventDefault()}>
        <label class="search">
          Search by name, tag, engineer or environment
          <input type="search" value={words} onInput={(event) => set({ q: event.currentTarget.value })} />
        </label>
        <TagChoice rows={rows} tag={tag} onTag={(one) => set({ tag: one })} />
        <Check
          name={armsLeftOut === 0 ? 'Runs of ablations' : `Runs of ablations (${armsLeftOut})`}
          isOn={query.get('arms') === 'true'}
          onChange={(isOn) => set({ arms: isOn || null })}
        />
        <Check
          name="Settings that differ"
          isOn={isComparingSettings}
          onChange={(isOn) => set({ settings: isOn || null })}
        />
      </form>
      <div class="selection">
        <p role="status" class="quiet">
          {shown.length === rows.length ? countWords(rows.length) : `${shown.length} of ${countWords(rows.length)}`}
          {total > rows.length ? `; the ledger has ${total}, with --limit the command icecore runs lists more` : ''}
          {isComparingSettings && settings.state === 'ready' && differing.length === 0
            ? '. All of them have the same settings.'
            : ''}
        </p>
        <Selection selected={selected} onClear={() => set({ select: null })} />
      </div>
      {shown.length === 0 ? (
        <Empty>
          <p>No run matches. </p>
          <button type="button" onClick={() => set({ q: null, tag: null })}>
            Show all runs
          </button>
        </Empty>
      ) : (
        <DataTable
          caption="Runs"
          rows={shown}
          columns={columns}
          keyOf={({ run }) => run}
          sort={sort}
          onSort={(one) => set({ sort: one })}
        />
      )}
    </>
  );
}

function countWords(count: number): string {
  return count === 1 ? 'one run' : `${count} runs`;
}

/** Every word has to be in its name, its identity, a tag, its engineer, its context, its environment or its state. */
function matches(run: RunRow, words: string): boolean {
  if (words === '') return true;
  const { name, run: id, environment, engineer, form, state, tags } = run;
  const all = [name, id, environment, engineer, form, state, ...tags].join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

function tagHref({ query }: Route, tag: string): string {
  const kept = Object.fromEntries([...query].filter(([name]) => name !== 'select'));
  return hrefOf('runs', '', { ...kept, select: query.getAll('select'), tag });
}

interface TagChoiceProps {
  readonly rows: readonly RunRow[];
  readonly tag: string;
  readonly onTag: (tag: string) => void;
}

function TagChoice({ rows, tag, onTag }: TagChoiceProps) {
  const counts = new Map<string, number>(tag === '' ? [] : [[tag, 0]]);
  for (const one of rows.flatMap(({ tags }) => tags)) counts.set(one, (counts.get(one) ?? 0) + 1);
  if (counts.size === 0) return null;
  const names = [...counts.keys()].sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  return (
    <label>
      Tag
      <select value={tag} onChange={(event) => onTag(event.currentTarget.value)}>
        <option value="">all</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name} ({counts.get(name)})
          </option>
        ))}
      </select>
    </label>
  );
}

interface CheckProps {
  readonly name: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Check({ name, isOn, onChange }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      {name}
    </label>
  );
}

function Selection({ selected, onClear }: { readonly selected: readonly string[]; readonly onClear: () => void }) {
  if (selected.length === 0) return <p class="quiet">Select runs to compare them.</p>;
  return (
    <p>
      {selected.length < 2 ? (
        <span class="quiet">One run is selected; select another to compare them.</span>
      ) : (
        <a class="button" href={hrefOf('compare', '', { run: selected })}>
          Compare {selected.length} runs
        </a>
      )}{' '}
      <button type="button" onClick={onClear}>
        Clear the selection
      </button>
    </p>
  );
}

// Runs side by side: what differs in their settings, their results, and which differences are more than chance.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Apart, Compared, ComparedRun } from '../../../schemas/compare-output.ts';
import type { Chart } from '../../charts/chart.ts';
import { percent } from '../../charts/words.ts';
import { useAnswer } from '../api.ts';
import { ChartFigure } from '../chart.tsx';
import { useLiveVersion } from '../live.ts';
import { CopyLine } from '../menu.tsx';
import { Answered, Empty, Failed, Plain, Rate } from '../parts.tsx';
import { shellWord } from '../place.ts';
import { hrefOf, type Query, queryText, replaceQuery } from '../router.ts';
import type { ViewProps } from '../shell.tsx';
import { rateSource } from '../sources.ts';
import { amountsWords } from '../words.ts';
import { ComparedSets } from './compare-sets.tsx';
import { textOf } from './values.ts';
import './runs.css';
import './run.css';

const options = ['run', 'tag', 'measure', 'suite', 'against', 'by', 'despite', 'margin', 'all'] as const;

export function Compare({ route }: ViewProps) {
  const version = useLiveVersion(['StageCompleted', 'EvaluationRecorded', 'RunCompleted', 'RunFailed']);
  const asked: Query = Object.fromEntries(options.map((name) => [name, route.query.getAll(name)]));
  const hasRuns = route.query.has('run') || route.query.has('tag');
  const answer = useAnswer<Compared>(hasRuns ? `/compare?${queryText(asked)}` : null, version);
  return (
    <>
      <h1>Compare</h1>
      {hasRuns ? (
        <>
          <p>
            <CopyLine text={commandOf(route.query)} what="command" />
          </p>
          <Answered answer={answer} what="the comparison">
            {(compared) => (
              <Result compared={compared} query={route.query} set={(changed) => replaceQuery(route, changed)} />
            )}
          </Answered>
        </>
      ) : (
        <Empty>
          <p>
            Nothing is selected. Choose two runs or more in the <a href={hrefOf('runs')}>list of runs</a>, and then
            “Compare”.
          </p>
        </Empty>
      )}
    </>
  );
}

function commandOf(query: URLSearchParams): string {
  const flags = options
    .filter((name) => name !== 'run')
    .flatMap((name) => query.getAll(name).map((value) => (name === 'all' ? '--all' : `--${name} ${shellWord(value)}`)));
  return ['icecore compare', ...query.getAll('run').map(shellWord), ...flags].join(' ');
}

interface ResultProps {
  readonly compared: Compared;
  readonly query: URLSearchParams;
  readonly set: (changed: Query) => void;
}

function Result({ compared, query, set }: ResultProps) {
  const { runs, apart, notes } = compared;
  return (
    <>
      <Options compared={compared} query={query} set={set} />
      <ComparedSets compared={compared} />
      {apart.length > 0 && (
        <section aria-labelledby="apart">
          <h2 id="apart">Not compared</h2>
          {apart.map((one) => (
            <ApartRuns key={one.runs.join(' ')} apart={one} />
          ))}
        </section>
      )}
      <Courses compared={compared} />
      <Runs
        compared={compared}
        onRemove={(run) => set({ run: query.getAll('run').filter((one) => one !== run) })}
        query={query}
      />
      <Settings compared={compared} isAll={query.get('all') === 'true'} />
      {notes.map((note) => (
        <p key={note} class="quiet">
          <Plain text={note} />
        </p>
      ))}
      {runs.length === 0 && <p class="quiet">No run has these tags.</p>}
    </>
  );
}

function Options({ compared, query, set }: ResultProps) {
  const suites = [...new Set(compared.runs.flatMap((run) => run.suites.map(({ suite }) => suite)))];
  return (
    <form class="controls" onSubmit={(event) => event.preventDefault()}>
      <Choice
        name="Measure"
        value={query.get('measure') ?? compared.measure}
        values={['valid', 'optimal']}
        onChange={(measure) => set({ measure })}
      />
      <Choice
        name="Suite"
        value={query.get('suite') ?? ''}
        values={['', ...new Set([...suites, 'probe'])]}
        words={(suite) => (suite === '' ? 'validation' : suite)}
        onChange={(suite) => set({ suite })}
      />
      <Choice
        name="Baseline"
        value={query.get('against') ?? ''}
        values={['', ...compared.runs.map(({ label }) => label)]}
        words={(run) => (run === '' ? 'the first run' : run)}
        onChange={(against) => set({ against })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={query.get('all') === 'true'}
          onChange={(event) => set({ all: event.currentTarget.checked || null })}
        />
        Settings that are equal, too
      </label>
    </form>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly value: string;
  readonly values: readonly string[];
  readonly words?: (value: string) => string;
  readonly onChange: (value: string) => void;
}

function Choice({ name, value, values, words = (one) => one, onChange }: ChoiceProps) {
  return (
    <label>
      {name}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {[...new Set([...values, value])].map((one) => (
          <option key={one} value={one}>
            {words(one)}
          </option>
        ))}
      </select>
    </label>
  );
}

function ApartRuns({ apart: { runs, from, reasons, remedy } }: { readonly apart: Apart }) {
  return (
    <div class="card">
      <p>
        <strong>{runs.join(', ')}</strong> {runs.length === 1 ? 'is' : 'are'} not compared with{' '}
        {from ?? 'any other run'}:
      </p>
      <ul>
        {reasons.map(({ says }) => (
          <li key={says}>
            <Plain text={says} />
          </li>
        ))}
      </ul>
      {remedy !== null && (
        <p>
          <Plain text={remedy} />
        </p>
      )}
    </div>
  );
}

/** The courses of all runs on one chart. */
function Courses({ compared }: { readonly compared: Compared }) {
  const [draw, setDraw] = useState<{ readonly draw: typeof import('../../charts/course.ts')['coursesChart'] } | null>(
    null,
  );
  const [fault, setFault] = useState<unknown>(null);
  useEffect(() => {
    import('../../charts/course.ts').then((loaded) => setDraw({ draw: loaded.coursesChart }), setFault);
  }, []);
  const chart = useMemo((): Chart | null => {
    const { runs, measure, suite } = compared;
    const stages = [...new Set(runs.flatMap(({ course }) => course.map(({ stage }) => stage)))].sort((a, b) => a - b);
    const courses = runs
      .filter(({ course }) => course.length > 0)
      .map((run) => ({ name: run.label, split: '', points: pointsOf(run, measure) }));
    return (
      draw?.draw(courses, stages, {
        title: `The ${measure} rate by stage, on ${suite ?? 'the validation suite'}`,
        label: `${measure} rate`,
        of: 'run',
      }) ?? null
    );
  }, [draw, compared]);
  if (fault !== null) return <Failed fault={fault} />;
  return chart === null ? null : (
    <section class="narrow-chart" aria-labelledby="courses">
      <h2 id="courses">Stage by stage</h2>
      <ChartFigure chart={chart} />
    </section>
  );
}

/** Only the last point is known with its interval. */
function pointsOf({ label, course, rate, stage: last }: ComparedRun, measure: string) {
  return course.map(({ stage, value }) => {
    const interval =
      stage === last ? { low: rate.low, high: rate.high, of: rate.of } : { low: null, high: null, of: null };
    return { suite: label, split: '', measure, family: null, stage, value, ...interval };
  });
}

interface RunsProps {
  readonly compared: Compared;
  readonly query: URLSearchParams;
  readonly onRemove: (run: string) => void;
}

/** Where the rate of a run was measured, if not on validation. Probe rollouts are no evaluation. */
function suiteOf(run: Compared['runs'][number], suite: string | null): { suite?: string; split?: string } {
  if (suite === null) return {};
  return { suite, split: run.suites.find((one) => one.suite === suite)?.split ?? 'probe' };
}

function Runs({ compared: { runs, measure, suite }, query, onRemove }: RunsProps) {
  const asked = query.getAll('run');
  const hasTokens = runs.some(({ tokens }) => tokens !== null);
  return (
    <section aria-labelledby="runs">
      <h2 id="runs">The runs</h2>
      <section class="scroll" aria-label="The compared runs" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">run</th>
              <th scope="col">engineer</th>
              <th scope="col">context</th>
              <th scope="col" class="right">
                seed
              </th>
              <th scope="col" class="right">
                stages
              </th>
              <th scope="col" class="right">
                {measure} rate
              </th>
              <th scope="col">after stage</th>
              <th scope="col" class="right">
                learning signal
              </th>
              <th scope="col">spent on training</th>
              {hasTokens && (
                <th scope="col" class="right">
                  tokens of engineers
                </th>
              )}
              <th scope="col">
                <span class="hidden">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <tr key={run.run}>
                <th scope="row">
                  <a href={hrefOf('run', run.run)}>
                    <Plain text={run.label} limit={60} />
                  </a>
                </th>
                <td>{run.engineer ?? '–'}</td>
                <td>{run.form ?? '–'}</td>
                <td class="right">{run.seed ?? '–'}</td>
                <td class="right">{run.planned === null ? run.done : `${run.done} of ${run.planned}`}</td>
                <td class="right">
                  <Rate
                    rate={run.rate}
                    source={
                      run.stage === null
                        ? undefined
                        : rateSource({ run: run.name, id: run.run, stage: run.stage, measure, ...suiteOf(run, suite) })
                    }
                  />
                </td>
                <td>{run.stage === null ? '–' : <a href={hrefOf('run', `${run.run}@${run.stage}`)}>{run.stage}</a>}</td>
                <td class="right">{run.signal === null ? '–' : percent(run.signal)}</td>
                <td>{amountsWords(run.spent)}</td>
                {hasTokens && <td class="right">{run.tokens?.toLocaleString('en') ?? '–'}</td>}
                <td>
                  {asked.length > 1 && asked.some((one) => one === run.name || one === run.run) && (
                    <button
                      type="button"
                      aria-label={`Remove ${run.label}`}
                      onClick={() => onRemove(asked.find((one) => one === run.name || one === run.run) ?? '')}
                    >
                      Remove
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

function Settings({ compared: { settings, runs }, isAll }: { readonly compared: Compared; readonly isAll: boolean }) {
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">{isAll ? 'Settings' : 'Settings that differ'}</h2>
      {settings.length === 0 ? (
        <p class="quiet">No recorded setting of these runs differs.</p>
      ) : (
        <section class="scroll" aria-label="Settings" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">setting</th>
                {runs.map(({ run, label }) => (
                  <th key={run} scope="col">
                    <Plain text={label} limit={40} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {settings.map(({ setting, values, isChanged }) => (
                <tr key={setting}>
                  <th scope="row">
                    <Plain text={setting} limit={60} />
                    {isAll && isChanged && <span class="warning"> differs</span>}
                  </th>
                  {runs.map(({ run, label }) => (
                    <td key={run}>
                      <Plain text={textOf(values.find((one) => one.runs.includes(label))?.value)} limit={200} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}

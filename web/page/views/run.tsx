// A run: its figures, its story stage by stage, its charts, and how it was made. With @K, one stage of it.
import { useCallback } from 'preact/hooks';
import type { Report } from '../../../schemas/report-output.ts';
import type { RunShown, StageRow, StageShown } from '../../../schemas/run-output.ts';
import type { Place } from '../../charts/chart.ts';
import { many } from '../../charts/words.ts';
import { type Answer, useAnswer } from '../api.ts';
import { useLiveVersion } from '../live.ts';
import { Answered, Empty, Failed, Loading, Moment, Plain, Rate, RunTabs } from '../parts.tsx';
import { runPath, shellWord } from '../place.ts';
import { hrefOf, type Route } from '../router.ts';
import type { ViewProps } from '../shell.tsx';
import { rateSource } from '../sources.ts';
import { pointsWords } from '../words.ts';
import { Gain } from './gain.tsx';
import { RunCharts } from './run-charts.tsx';
import { Benchmarks, Commands, Made, Notes } from './run-facts.tsx';
import { Story } from './run-story.tsx';
import { Stage } from './stage.tsx';
import { StateWords } from './state.tsx';
import './runs.css';
import './run.css';

const changing = [
  'RunTakenOver',
  'StageStarted',
  'TrainingRecorded',
  'EvaluationRecorded',
  'ProposalRecorded',
  'ProposalRejected',
  'ProposalErrored',
  'ConfigAdopted',
  'StageCompleted',
  'RunCompleted',
  'RunFailed',
  'RunAnnotated',
];

export function Run({ route }: ViewProps) {
  const of = route.of === '' ? 'latest' : route.of;
  const version = useLiveVersion(changing, of);
  const answer = useAnswer<RunShown | StageShown>(runPath(of), version);
  return (
    <>
      {answer.state !== 'ready' && (
        <h1>
          <Plain text={of} />
        </h1>
      )}
      <Answered answer={answer} what={of}>
        {(shown) =>
          'stages' in shown ? (
            <WholeRun run={shown} of={of} route={route} />
          ) : (
            <Stage stage={shown} of={of.replace(/@[^@]*$/, '')} version={version} />
          )
        }
      </Answered>
    </>
  );
}

interface WholeRunProps {
  readonly run: RunShown;
  /** As it is typed in a command. */
  readonly of: string;
  readonly route: Route;
}

function WholeRun({ run, of, route }: WholeRunProps) {
  // The report of a long history takes longer, so it is asked again only when a stage or a decision was added.
  const { done, state, next, stages, notes } = run;
  const progress = [done, stages.length, state, next?.adopted, notes.length].join(' ');
  const report = useAnswer<Report>(runPath(of, '/report'), progress);
  const link = useCallback((place: Place) => placeHref(of, place), [of]);
  return (
    <>
      <h1>
        <Plain text={run.name} />
      </h1>
      <RunTabs run={of} at="run" />
      <Standing run={run} of={of} />
      <Figures run={run} of={of} />
      <Outcome run={run} of={of} />
      {stages.length === 0 && <NotStarted run={run} of={of} />}
      <Story run={run} of={of} report={report.value} isWhole={route.query.get('all') === 'true'} />
      <ChartsOf report={report} link={link} hasStages={stages.length > 0} />
      <Benchmarks run={run} of={of} />
      <Notes run={run} of={of} />
      <div class="split even">
        <Made run={run} />
        <Commands run={run} of={of} />
      </div>
    </>
  );
}

/** A mark about a knob leads to the reasons for its value, any other to its rollouts, and a stage to the stage. */
function placeHref(of: string, { stage, family, knob, failureClass, split }: Place): string {
  const where = stage === undefined ? of : `${of}@${stage}`;
  if (knob !== undefined) return hrefOf('why', where, { knob });
  if (family === undefined && failureClass === undefined) return hrefOf('run', where);
  return hrefOf('rollouts', where, { split, family, failure_class: failureClass });
}

function Standing({ run, of }: { readonly run: RunShown; readonly of: string }) {
  const { environment, engineer, form, at, tags, failure, parent } = run;
  return (
    <>
      <p class="facts-line">
        <StateWords of={of} run={run} />
        {environment !== null && (
          <span>
            on <Plain text={environment} />
          </span>
        )}
        {engineer !== null && (
          <span>
            <Plain text={engineer} /> decides{form === null ? '' : ', with the context '}
            {form !== null && <Plain text={form} />}
          </span>
        )}
        {at !== null && (
          <span>
            started <Moment at={at} />
          </span>
        )}
        {parent !== null && (
          <span>
            fork of <a href={hrefOf('run', parent.run)}>{parent.name}</a> after stage {parent.stage}
          </span>
        )}
        {tags.map((tag) => (
          <a key={tag} class="tag" href={hrefOf('runs', '', { tag })}>
            <Plain text={tag} limit={40} />
          </a>
        ))}
      </p>
      {run.asked.says !== null && (
        <blockquote>
          <Plain text={run.asked.says} />
        </blockquote>
      )}
      {failure !== null && (
        <div class="failed" role="alert">
          <p>
            <strong>
              It failed{failure.during === null ? '' : ` during ${failure.during}`}
              {failure.stage === null ? '' : ` in stage ${failure.stage}`}:
            </strong>{' '}
            <Plain text={`${failure.reason}, ${failure.message}`} />
          </p>
          {failure.resumable && (
            <p>
              <code>icecore resume {shellWord(of)}</code> continues from the last recorded step.
            </p>
          )}
        </div>
      )}
    </>
  );
}

function measuredEnds({ stages }: RunShown): { readonly first: StageRow; readonly last: StageRow } | null {
  const measured = stages.filter(({ valid }) => valid.value !== null);
  const [first, last] = [measured[0], measured.at(-1)];
  return first === undefined || last === undefined ? null : { first, last };
}

function Figures({ run, of }: { readonly run: RunShown; readonly of: string }) {
  const { stages, planned, done, next } = run;
  const ends = measuredEnds(run);
  const decided = [
    ...stages.filter(({ stage }) => stage > 1).map(({ decision }) => decision),
    ...(next === null || next.adopted === null ? [] : [next]),
  ];
  const changes = decided.flatMap((one) => one.changes);
  const knobs = new Set(changes.map(({ knob }) => knob)).size;
  const alerts = stages.flatMap((one) => one.alerts);
  return (
    <dl class="figures">
      {ends !== null &&
        (['valid', 'optimal'] as const).map((measure) => (
          <div key={measure}>
            <dt>{measure} rate</dt>
            <dd class="value">
              <Rate
                rate={ends.last[measure]}
                source={rateSource({ run: of, id: run.run, stage: ends.last.stage, measure })}
              />
            </dd>
            <dd class="quiet">{sinceWords(ends.first, ends.last, measure)}</dd>
          </div>
        ))}
      <div>
        <dt>stages</dt>
        <dd class="value">{planned === null ? stages.length : `${done} of ${planned}`}</dd>
        <dd class="quiet">{done === stages.length ? 'complete' : `${done} complete`}</dd>
      </div>
      <div>
        <dt>knobs changed</dt>
        <dd class="value">{knobs}</dd>
        <dd class="quiet">{changes.length === 0 ? 'no changes' : `by ${many(changes.length, 'change')}`}</dd>
      </div>
      <div>
        <dt>alerts</dt>
        <dd class="value">{alerts.length}</dd>
        <dd class="quiet">{alerts.length === 0 ? 'none raised' : 'in the story below'}</dd>
      </div>
    </dl>
  );
}

function sinceWords(first: StageRow, last: StageRow, measure: 'valid' | 'optimal'): string {
  const [before, after] = [first[measure].value, last[measure].value];
  if (first === last || before === null || after === null) return `validation, stage ${last.stage}`;
  return `${pointsWords(after - before)} since stage ${first.stage}`;
}

function Outcome({ run, of }: { readonly run: RunShown; readonly of: string }) {
  const ends = measuredEnds(run);
  if (ends === null || ends.first === ends.last) return null;
  const { first, last } = ends;
  const sources = {
    before: rateSource({ run: of, id: run.run, stage: first.stage, measure: 'valid' }),
    after: rateSource({ run: of, id: run.run, stage: last.stage, measure: 'valid' }),
  };
  return (
    <p>
      On the validation suite, from stage {first.stage} to stage {last.stage}, the valid rate went{' '}
      <Gain before={first.valid} after={last.valid} sources={sources} />.{' '}
      <span class="quiet">Numbers in brackets are 95&nbsp;% intervals in percent.</span>
    </p>
  );
}

function NotStarted({ run, of }: { readonly run: RunShown; readonly of: string }) {
  return (
    <Empty>
      <p>
        No stage of this run has started.{' '}
        {run.state === 'running' ? 'This page shows stages as they start.' : 'To continue it:'}
      </p>
      {run.state !== 'running' && (
        <p>
          <code>icecore resume {shellWord(of)}</code>
        </p>
      )}
    </Empty>
  );
}

interface ChartsOfProps {
  readonly report: Answer<Report>;
  readonly link: (place: Place) => string;
  readonly hasStages: boolean;
}

function ChartsOf({ report, link, hasStages }: ChartsOfProps) {
  if (!hasStages) return null;
  return (
    <section aria-labelledby="charts">
      <h2 id="charts">Charts</h2>
      {report.state === 'loading' && <Loading what="the charts" />}
      {report.fault !== null && <Failed fault={report.fault} />}
      {report.value !== null && <RunCharts data={report.value.charts} link={link} />}
    </section>
  );
}

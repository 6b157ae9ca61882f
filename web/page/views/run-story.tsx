// The story of a run, stage by stage: who decided, what changed and why, and what came of it. Stages without changes share a
// section.
import type { Report } from '../../../schemas/report-output.ts';
import type { Decision, RunShown, StageRow } from '../../../schemas/run-output.ts';
import { percent } from '../../charts/words.ts';
import { AfterwardsNote, Moment, Plain } from '../parts.tsx';
import { hrefOf } from '../router.ts';
import { gainSources } from '../sources.ts';
import { AlertList } from './alerts.tsx';
import { DecisionPart } from './decision.tsx';
import { Failures } from './failures.tsx';
import { Gain } from './gain.tsx';

interface StoryProps {
  readonly run: RunShown;
  readonly of: string;
  /** Null until it is there; the story begins without it. */
  readonly report: Report | null;
  /** Whether the first stages of a long run are shown. */
  readonly isWhole: boolean;
}

/** The number of sections of a long run that are shown first. */
const mostSections = 12;

export function Story({ run, of, report, isWhole }: StoryProps) {
  const ranges = rangesOf(run);
  const left = isWhole ? 0 : Math.max(0, ranges.length - mostSections);
  const shown = ranges.slice(left);
  const before = shown[0]?.[0]?.stage ?? 1;
  if (ranges.length === 0 && run.next === null) return null;
  return (
    <section aria-labelledby="story">
      <h2 id="story">What happened, and why</h2>
      <AfterwardsNote decisions={effectsIn(report, shown)} />
      {left > 0 && (
        <p>
          <a href={hrefOf('run', of, { all: true })}>Show the stages before stage {before}, too</a>
        </p>
      )}
      <ol class="story">
        {shown.map((range) => (
          <li key={range[0].stage}>
            {range.length === 1 ? (
              <StageSection
                stage={range[0]}
                before={run.stages.find(({ stage }) => stage === range[0].stage - 1)}
                {...{ run, of, report }}
              />
            ) : (
              <RangeSection range={range} {...{ run, of }} />
            )}
          </li>
        ))}
        {run.next !== null && (
          <li>
            <NextSection next={run.next} run={run} of={of} />
          </li>
        )}
      </ol>
    </section>
  );
}

type Range = [StageRow, ...StageRow[]];

function rangesOf({ stages, notes }: RunShown): readonly Range[] {
  const found: Range[] = [];
  for (const stage of stages) {
    const range = found.at(-1);
    const isLike = range !== undefined && isQuiet(range[0], notes) && isQuiet(stage, notes) && isAlike(range[0], stage);
    if (isLike) range.push(stage);
    else found.push([stage]);
  }
  return found;
}

function isQuiet({ stage, isOver, alerts, decision }: StageRow, notes: RunShown['notes']): boolean {
  const { changes, rejections, errors, clamps } = decision;
  return (
    isOver &&
    [changes, rejections, errors, clamps, alerts].every(({ length }) => length === 0) &&
    notes.every((note) => note.stage !== stage)
  );
}

function isAlike({ decision: one }: StageRow, { decision: other }: StageRow): boolean {
  return one.by !== 'initial' && one.by === other.by && one.who === other.who && one.rationale === other.rationale;
}

/** Of the stages that are shown. */
function effectsIn(report: Report | null, shown: readonly Range[]): Report['story'] {
  const stages = shown.flatMap((range) => range.map(({ stage }) => stage));
  return (report?.story ?? []).filter(({ stage }) => stages.includes(stage));
}

function RangeSection({ range, run, of }: Pick<StoryProps, 'run' | 'of'> & { readonly range: Range }) {
  const stages = range.map(({ stage }) => stage);
  const rates = range.flatMap(({ valid }) => valid.value ?? []);
  return (
    <>
      <h3>
        Stages {Math.min(...stages)} to {Math.max(...stages)}
      </h3>
      <DecisionPart decision={range[0].decision} of={of} id={run.run} />
      <p>
        The same holds for each of these stages
        {rates.length === 0
          ? ''
          : `; their valid rates are between ${percent(Math.min(...rates))} and ${percent(Math.max(...rates))}`}
        :{' '}
        {stages.map((stage, index) => (
          <>
            {index > 0 && ', '}
            <a href={hrefOf('run', `${of}@${stage}`)}>{stage}</a>
          </>
        ))}
        .
      </p>
    </>
  );
}

interface StageSectionProps {
  readonly stage: StageRow;
  readonly before: StageRow | undefined;
  readonly run: RunShown;
  readonly of: string;
  readonly report: Report | null;
}

function StageSection({ stage: row, before, run, of, report }: StageSectionProps) {
  const { stage, isOver, isShared, valid, optimal, alerts } = row;
  const at = `${of}@${stage}`;
  const figure = { run: of, id: run.run, stage };
  const entry = report?.story.find((one) => one.stage === stage);
  const notes = run.notes.filter((note) => note.stage === stage);
  return (
    <>
      <h3>
        <a href={hrefOf('run', at)}>Stage {stage}</a>
        {isShared && <span class="quiet"> shared with its parent</span>}
        {!isOver && run.state === 'running' && <span class="quiet"> in progress</span>}
      </h3>
      <p class="stage-links">
        <a href={hrefOf('why', at)} aria-label={`Why stage ${stage}`}>
          Why
        </a>
        <a href={hrefOf('rollouts', at)} aria-label={`Rollouts of stage ${stage}`}>
          Rollouts
        </a>
        <a href={hrefOf('context', at)} aria-label={`Context for stage ${stage}`}>
          Context
        </a>
      </p>
      <DecisionPart decision={row.decision} of={of} id={run.run} effects={entry?.effects ?? []} />
      {valid.value !== null && (
        <p>
          <strong>Result</strong> on the validation suite: valid{' '}
          <Gain
            before={before?.valid ?? nothing}
            after={valid}
            sources={gainSources({ ...figure, measure: 'valid' })}
          />
          {optimal.value !== null && (
            <>
              ; optimal{' '}
              <Gain
                before={before?.optimal ?? nothing}
                after={optimal}
                sources={gainSources({ ...figure, measure: 'optimal' })}
              />
            </>
          )}
        </p>
      )}
      <AlertList alerts={alerts} />
      {notes.map((note) => (
        <p key={note.event} class="note">
          <Plain text={note.says} />{' '}
          <span class="quiet">
            ({note.actor}, <Moment at={note.at} />)
          </span>
        </p>
      ))}
      {entry !== undefined && report !== null && <Failures entry={entry} report={report} />}
    </>
  );
}

const nothing = { value: null, count: null, of: null, low: null, high: null } as const;

interface NextSectionProps {
  readonly next: Decision;
  readonly run: RunShown;
  readonly of: string;
}

function NextSection({ next, run, of }: NextSectionProps) {
  const at = `${of}@${next.stage}`;
  return (
    <>
      <h3>
        Stage {next.stage} <span class="quiet">has not started</span>
      </h3>
      <p class="stage-links">
        <a href={hrefOf('context', at)} aria-label={`Context for stage ${next.stage}`}>
          Context
        </a>
        {run.waiting?.for === 'decision' && <a href={hrefOf('adopt', of)}>Decide stage {next.stage}</a>}
      </p>
      <DecisionPart decision={next} of={of} id={run.run} />
    </>
  );
}

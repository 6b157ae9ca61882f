// An ablation: what the data support first, then the matrix, the contrasts, and what each arm decided.
import type { ComponentChildren } from 'preact';
import type { Ablated } from '../../../schemas/ablation-output.ts';
import { conclusionsInTwo, type Standings, standingsOf } from '../../charts/standings.ts';
import { useAnswer } from '../api.ts';
import { useLiveVersion } from '../live.ts';
import { CopyLine } from '../menu.tsx';
import { Answered, Moment, Plain } from '../parts.tsx';
import { hrefOf, replaceQuery } from '../router.ts';
import type { ViewProps } from '../shell.tsx';
import { Arm } from './ablation/arm.tsx';
import { Contrasts } from './ablation/contrasts.tsx';
import { AllDecisions } from './ablation/decisions.tsx';
import { commandOf, secondsText } from './ablation/figures.ts';
import { MatrixCharts } from './ablation/matrix.tsx';
import { Costs, Likeness, PublishedFigures, Sensitivity } from './ablation/more.tsx';
import { Progress } from './ablation/progress.tsx';
import { Seeds } from './ablation/seeds.tsx';
import './ablation.css';

/** The events that change what is shown. */
const events = [
  'AblationStarted',
  'ArmProposed',
  'ArmRejected',
  'ArmErrored',
  'ArmTrained',
  'ArmEvaluated',
  'AblationCompleted',
] as const;

export function Ablation({ route }: ViewProps) {
  const version = useLiveVersion(events);
  const answer = useAnswer<Ablated>(`/ablations/${encodeURIComponent(route.of)}`, version);
  return (
    <Answered answer={answer} what="the ablation">
      {(ablated) => <Shown ablated={ablated} route={route} />}
    </Answered>
  );
}

function Shown({ ablated, route }: ViewProps & { readonly ablated: Ablated }) {
  const standings = standingsOf(ablated, route.query.get('measure'));
  const arm = route.query.get('arm');
  const hrefOfArm = (name: string): string =>
    hrefOf('ablation', route.of, { measure: route.query.get('measure'), arm: name });
  const isOfOne = ablated.preset === 'sensitivity';
  const opened = arm !== null && (
    <Arm key={arm} ablated={ablated} arm={arm} onClose={() => replaceQuery(route, { arm: null })} />
  );
  return (
    <>
      <Head ablated={ablated} />
      <Conclusions ablated={ablated} />
      {ablated.sensitivity !== null && (
        <>
          <h2>What {ablated.sensitivity.arm} decides when one thing is not shown</h2>
          <Sensitivity sensitivity={ablated.sensitivity} />
        </>
      )}
      {standings !== null && !isOfOne ? (
        <Measured {...{ ablated, standings, route, hrefOfArm }}>{opened}</Measured>
      ) : (
        opened
      )}
      <h2>What each arm decided</h2>
      <AllDecisions
        ablated={ablated}
        seed={route.query.get('seed')}
        onSeed={(seed) => replaceQuery(route, { seed })}
        hrefOfArm={hrefOfArm}
      />
      <h2>How alike the arms decided</h2>
      <Likeness ablated={ablated} />
      {ablated.published.map((one) => (
        <PublishedFigures key={one.what} {...one} />
      ))}
      <h2>What it cost</h2>
      <Costs ablated={ablated} />
      <h2>The same in a terminal</h2>
      <p>
        <CopyLine text={commandOf(ablated)} what="command" />
      </p>
    </>
  );
}

const depths = {
  propose: 'decisions replayed, nothing trained',
  train: 'decisions replayed, one stage trained',
  run: 'decisions replayed up to the last stage',
} as const;

function Head({ ablated }: { readonly ablated: Ablated }) {
  const { name, ablation, state, depth, at, histories, arms, units, says, errored } = ablated;
  return (
    <>
      <h1>
        Ablation <Plain text={name} />
      </h1>
      <p class="subtitle">
        <span class="state">{state === 'completed' ? 'completed' : 'under way'}</span> {depths[depth]} · {arms.length}{' '}
        arms
        {errored.length === 0 ? '' : `, ${errored.length} of them errored`} · {units.length}{' '}
        {units.length === 1 ? 'seed' : 'seeds'} ·{' '}
        {histories.map(({ run, name: history, decisions }, index) => (
          <span key={run}>
            {index === 0 ? '' : ', '}
            <a href={hrefOf('run', history)}>
              <Plain text={history} />
            </a>{' '}
            ({decisions.length === 1 ? 'stage' : 'stages'} {decisions.join(', ')})
          </span>
        ))}{' '}
        · <Moment at={at} />
        {name === ablation ? '' : ` · ${ablation}`}
      </p>
      {says !== null && (
        <p>
          <Plain text={says} />
        </p>
      )}
      {state === 'under-way' && <Progress ablated={ablated} />}
    </>
  );
}

function ConclusionList({ texts }: { readonly texts: readonly string[] }) {
  return (
    <ul class="conclusions">
      {texts.map((text) => (
        <li key={text}>
          <Plain text={text} />
        </li>
      ))}
    </ul>
  );
}

function Conclusions({ ablated }: { readonly ablated: Ablated }) {
  const { unrecorded, errored, settle, depth } = ablated;
  const [first, others] = conclusionsInTwo(ablated.conclusions);
  return (
    <>
      <h2>What the data support</h2>
      {first.length === 0 ? (
        <p class="quiet">Nothing yet: conclusions come with the first results.</p>
      ) : (
        <ConclusionList texts={first} />
      )}
      {others.length > 0 && (
        <details>
          <summary>{others.length === 1 ? '1 more conclusion' : `${others.length} more conclusions`}</summary>
          <ConclusionList texts={others} />
        </details>
      )}
      {unrecorded.map((text) => (
        <p key={text} class="warning">
          <Plain text={text} />
        </p>
      ))}
      {settle != null && (
        <div class="card">
          <p>
            {depth === 'propose' ? 'To learn which one trains better' : 'To settle what is inconclusive'}, compare{' '}
            {settle.arm} against {settle.reference} with about {settle.seeds} seeds
            {settle.seconds === null ? '' : `, which is about ${secondsText(settle.seconds)} of training`}:
          </p>
          <CopyLine text={settle.command} what="command" />
        </div>
      )}
      {errored.length > 0 && (
        <>
          <h2>Arms that an error stopped</h2>
          <ul class="plain-list">
            {errored.map(({ arm, reason, resumable }) => (
              <li key={arm}>
                <span class="warning">
                  ✕ <Plain text={arm} />: <Plain text={reason} limit={400} />
                </span>{' '}
                {resumable ? 'Running the same ablation again retries it.' : ''}
              </li>
            ))}
          </ul>
          <p class="quiet">An error is not an answer: these arms are in no mean, no order and no contrast.</p>
        </>
      )}
    </>
  );
}

function Measured({
  ablated,
  standings,
  route,
  hrefOfArm,
  children,
}: ViewProps & {
  readonly ablated: Ablated;
  readonly standings: Standings;
  readonly hrefOfArm: (arm: string) => string;
  /** The opened arm, below the matrix that it was opened in. */
  readonly children: ComponentChildren;
}) {
  const { measure } = standings;
  return (
    <>
      <h2>By context and engineer</h2>
      <div class="controls">
        <label>
          Measure
          <select
            value={measure.measure}
            onChange={(event) => replaceQuery(route, { measure: event.currentTarget.value })}
          >
            {ablated.measures.map(({ measure: name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <p class="quiet">
          {measure.says}
          {measure.says === '' ? '' : '; '}
          {measure.better} is better
        </p>
      </div>
      <MatrixCharts {...{ ablated, standings, hrefOfArm }} />
      {children}
      <h2>Contrasts by {measure.measure}</h2>
      <Contrasts {...{ ablated, measure, hrefOfArm }} />
      <h2>Results per seed</h2>
      <Seeds {...{ ablated, standings, hrefOfArm }} />
    </>
  );
}

// One arm: what it is, what it decided, and the runs and trainings that followed.
import type { Ablated, AblatedDecision } from '../../../../schemas/ablation-output.ts';
import { type Column, DataTable } from '../../data-table.tsx';
import { Plain, RunLink } from '../../parts.tsx';
import { hrefOf } from '../../router.ts';
import { amountsText, secondsText, threeDigits } from './figures.ts';

interface ArmProps {
  readonly ablated: Ablated;
  readonly arm: string;
  readonly onClose: () => void;
}

export function Arm({ ablated, arm: name, onClose }: ArmProps) {
  const arm = ablated.arms.find((one) => one.arm === name);
  if (arm === undefined)
    return (
      <div class="card" role="status">
        There is no arm {name} in this ablation.{' '}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    );
  const decisions = ablated.decisions.filter((one) => one.arm === name);
  const trainings = ablated.trainings.filter((one) => one.arm === name);
  const error = ablated.errored.find((one) => one.arm === name);
  return (
    <section class="arm" aria-labelledby="arm-title">
      <h2 id="arm-title">
        Arm <Plain text={name} />{' '}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </h2>
      <dl class="facts">
        <dt>Engineer</dt>
        <dd>
          <Plain text={arm.engineer} />
          {arm.model === null ? '' : `, model ${arm.model}`}
          {arm.upperBound === true ? ' (an upper bound: it reads what the environment hides)' : ''}
        </dd>
        <dt>Context</dt>
        <dd>
          {arm.form === null ? 'none: its engineer reads no context' : <Plain text={arm.form} />}
          {arm.modules === null || arm.modules.length === 0 ? '' : ` (${arm.modules.join(', ')})`}
          {arm.without.length === 0 ? '' : `, without ${arm.without.join(', ')}`}
        </dd>
        {arm.notApplicable.length > 0 && (
          <>
            <dt>Not applicable</dt>
            <dd>{arm.notApplicable.join(', ')}: its engineer cannot use them</dd>
          </>
        )}
        {error !== undefined && (
          <>
            <dt>Errored</dt>
            <dd class="warning">
              <Plain text={error.reason} /> {error.resumable ? 'Running the same ablation again retries it.' : ''}
            </dd>
          </>
        )}
      </dl>
      <h3>What it decided</h3>
      {decisions.length === 0 ? (
        <p class="quiet">No decision of this arm is recorded yet.</p>
      ) : (
        <Decisions ablated={ablated} decisions={decisions} isOfOne={true} />
      )}
      {trainings.length > 0 && (
        <>
          <h3>What was trained</h3>
          <Trainings ablated={ablated} trainings={trainings} />
        </>
      )}
    </section>
  );
}

/** `mine@3`: the stage that was decided again, by the name of its run. */
function Stage({ ablated, run, stage }: { readonly ablated: Ablated; readonly run: string; readonly stage: number }) {
  const name = ablated.histories.find((one) => one.run === run)?.name ?? run;
  return <a href={hrefOf('why', `${name}@${stage}`)}>{`${name}@${stage}`}</a>;
}

const mostChanges = 6;

export function Decisions({
  ablated,
  decisions,
  isOfOne = false,
  hrefOfArm,
}: {
  readonly ablated: Ablated;
  readonly decisions: readonly AblatedDecision[];
  /** Of one arm, which needs no column. */
  readonly isOfOne?: boolean;
  readonly hrefOfArm?: (arm: string) => string;
}) {
  const arm: Column<AblatedDecision> = {
    id: 'arm',
    title: 'Arm',
    cell: (one) => (hrefOfArm === undefined ? one.arm : <a href={hrefOfArm(one.arm)}>{one.arm}</a>),
  };
  const columns: readonly Column<AblatedDecision>[] = [
    ...(isOfOne ? [] : [arm]),
    { id: 'stage', title: 'For stage', cell: ({ run, stage }) => <Stage {...{ ablated, run, stage }} /> },
    ...(ablated.units.length > 1 ? [{ id: 'unit', title: 'Seed', cell: ({ unit }: AblatedDecision) => unit }] : []),
    { id: 'changes', title: 'Changes', cell: (one) => <Changes decision={one} /> },
    {
      id: 'differs',
      title: 'Knobs unlike the actual decision',
      align: 'right',
      cell: ({ differs, came }) => (came !== 'proposed' || differs === null ? '–' : differs.length),
    },
    { id: 'context', title: 'Shown', cell: (one) => <Shown ablated={ablated} decision={one} /> },
    { id: 'run', title: 'Run', cell: ({ armRun }) => (armRun === null ? '' : <RunLink run={armRun} />) },
  ];
  return (
    <DataTable
      caption="Decisions"
      rows={decisions}
      columns={columns}
      keyOf={({ arm: of, unit, run, stage }) => `${of} ${unit} ${run} ${stage}`}
    />
  );
}

function Changes({ decision: { came, why, changes, clamps, says } }: { readonly decision: AblatedDecision }) {
  if (came !== 'proposed')
    return (
      <span class="warning">
        {came === 'errored' ? '✕ errored' : 'rejected: the configuration stays'}
        {why !== null && (
          <>
            {': '}
            <Plain text={why} limit={300} />
          </>
        )}
      </span>
    );
  const shown = changes.slice(0, mostChanges);
  return (
    <>
      {changes.length === 0 ? (
        <span class="quiet">no change</span>
      ) : (
        <span class="changes">
          {shown.map(({ knob, from, to, cites }) => (
            <span key={knob} title={`cites ${cites} evidence ids`}>
              <Plain text={knob} /> {valueText(from)} → {valueText(to)}
            </span>
          ))}
          {changes.length > shown.length && <span class="quiet">and {changes.length - shown.length} more</span>}
        </span>
      )}
      {clamps > 0 && <span class="warning"> {clamps} clamped</span>}
      {says !== null && (
        <details>
          <summary>Its reason</summary>
          <blockquote>
            <Plain text={says} />
          </blockquote>
        </details>
      )}
    </>
  );
}

function valueText(value: number | null): string {
  return value === null ? 'none' : threeDigits(value);
}

/** The context that the engineer of the arm saw for this stage. */
function Shown({
  ablated,
  decision: { arm: name, run, stage, context },
}: {
  readonly ablated: Ablated;
  readonly decision: AblatedDecision;
}) {
  const form = ablated.arms.find(({ arm }) => arm === name)?.form ?? null;
  if (context === null || form === null) return <span class="quiet">nothing</span>;
  const history = ablated.histories.find((one) => one.run === run)?.name ?? run;
  return <a href={hrefOf('context', `${history}@${stage}`, { form })}>{form}</a>;
}

function Trainings({ ablated, trainings }: { readonly ablated: Ablated; readonly trainings: Ablated['trainings'] }) {
  type Training = Ablated['trainings'][number];
  const columns: readonly Column<Training>[] = [
    { id: 'stage', title: 'Stage', cell: ({ run, stage }) => <Stage {...{ ablated, run, stage }} /> },
    { id: 'unit', title: 'Seed', cell: ({ unit }) => unit },
    {
      id: 'checkpoint',
      title: 'Checkpoint',
      cell: ({ checkpoint }) => (checkpoint === null ? '–' : <code title={checkpoint}>{checkpoint.slice(0, 12)}</code>),
    },
    {
      id: 'seconds',
      title: 'Time',
      align: 'right',
      cell: ({ seconds }) => (seconds === null ? '–' : secondsText(seconds)),
    },
    { id: 'spent', title: 'Spent', cell: ({ spent }) => amountsText(spent) },
    {
      id: 'shared',
      title: 'Trained with',
      cell: ({ sharedWith, reproduces }) => (
        <>
          {sharedWith === null ? '' : `${sharedWith}, which decided the same`}
          {reproduces !== null && (
            <span class={reproduces.equal ? '' : 'warning'}>
              {reproduces.equal ? ' repeats the recorded checkpoint' : ' differs from the recorded checkpoint'}
            </span>
          )}
        </>
      ),
    },
  ];
  return (
    <DataTable
      caption="Trainings"
      rows={trainings}
      columns={columns}
      keyOf={({ unit, run, stage }) => `${unit} ${run} ${stage}`}
    />
  );
}

// One arm: what it is, what it decided, and the runs and trainings that followed.
import { useEffect, useRef } from 'preact/hooks';
import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { type Column, DataTable } from '../../data-table.tsx';
import { Plain } from '../../parts.tsx';
import { Decisions, Stage } from './decisions.tsx';
import { amountsText, secondsText } from './figures.ts';

interface ArmProps {
  readonly ablated: Ablated;
  readonly arm: string;
  readonly onClose: () => void;
}

export function Arm({ ablated, arm: name, onClose }: ArmProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Whoever opened it in the matrix or in a table continues here.
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: 'nearest' });
  }, []);
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
      <h2 id="arm-title" ref={heading} tabIndex={-1}>
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
        <Decisions
          ablated={ablated}
          groups={decisions.map((decision) => ({ arms: [name], decision }))}
          isOfOne={true}
        />
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

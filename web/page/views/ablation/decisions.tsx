// What arms decided, stage by stage; arms that decided the same share a row.
import type { Ablated, AblatedDecision } from '../../../../schemas/ablation-output.ts';
import { type Column, DataTable } from '../../data-table.tsx';
import { Plain, RunLink } from '../../parts.tsx';
import { hrefOf } from '../../router.ts';
import { threeDigits } from './figures.ts';

export interface DecisionGroup {
  readonly arms: readonly string[];
  readonly decision: AblatedDecision;
}

interface DecisionsProps {
  readonly ablated: Ablated;
  readonly groups: readonly DecisionGroup[];
  /** Of one arm, which needs no column. */
  readonly isOfOne?: boolean;
  readonly hrefOfArm?: (arm: string) => string;
}

/** The decisions of all arms with one seed. */
export function AllDecisions({
  ablated,
  seed,
  onSeed,
  hrefOfArm,
}: {
  readonly ablated: Ablated;
  readonly seed: string | null;
  readonly onSeed: (seed: string) => void;
  readonly hrefOfArm: (arm: string) => string;
}) {
  const { decisions } = ablated;
  const seeds = [...new Set(decisions.map(({ unit }) => unit))];
  const shown = seeds.find((one) => one === seed) ?? seeds[0];
  if (shown === undefined) return <p class="quiet">No decision is recorded yet.</p>;
  const alike = Map.groupBy(
    decisions.filter(({ unit }) => unit === shown),
    ({ arm, run, stage, configuration }) => `${run} ${stage} ${configuration ?? `arm ${arm}`}`,
  );
  const groups = [...alike.values()].flatMap((some): readonly DecisionGroup[] => {
    const [decision] = some;
    return decision === undefined ? [] : [{ arms: some.map(({ arm }) => arm), decision }];
  });
  return (
    <>
      {seeds.length > 1 && (
        <div class="controls">
          <label>
            Seed
            <select value={shown} onChange={(event) => onSeed(event.currentTarget.value)}>
              {seeds.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
      <Decisions {...{ ablated, groups, hrefOfArm }} />
      <p class="quiet">
        Arms that decided the same share a row. The differences are from the actual decision for that stage.
      </p>
    </>
  );
}

/** `mine@3`: the stage that was decided again, by the name of its run. */
export function Stage({
  ablated,
  run,
  stage,
}: {
  readonly ablated: Ablated;
  readonly run: string;
  readonly stage: number;
}) {
  const name = ablated.histories.find((one) => one.run === run)?.name ?? run;
  return <a href={hrefOf('why', `${name}@${stage}`)}>{`${name}@${stage}`}</a>;
}

const mostChanges = 6;

export function Decisions({ ablated, groups, isOfOne = false, hrefOfArm }: DecisionsProps) {
  const has = (what: (decision: AblatedDecision) => boolean): boolean => groups.some(({ decision }) => what(decision));
  const columns: readonly (Column<DecisionGroup> | null)[] = [
    {
      id: 'stage',
      title: 'For stage',
      cell: ({ decision: { run, stage } }) => <Stage {...{ ablated, run, stage }} />,
    },
    isOfOne ? null : { id: 'arms', title: 'Arms', cell: ({ arms }) => <Arms arms={arms} hrefOfArm={hrefOfArm} /> },
    isOfOne && ablated.units.length > 1
      ? { id: 'unit', title: 'Seed', cell: ({ decision: { unit } }) => <span class="one-line">{unit}</span> }
      : null,
    { id: 'changes', title: 'Changes', cell: ({ decision }) => <Changes decision={decision} /> },
    {
      id: 'differs',
      title: 'Knobs that differ',
      align: 'right',
      cell: ({ decision: { differs, came } }) => (came !== 'proposed' || differs === null ? '–' : differs.length),
    },
    isOfOne ? { id: 'context', title: 'Shown', cell: ({ decision }) => <Shown {...{ ablated, decision }} /> } : null,
    has(({ armRun }) => armRun !== null)
      ? {
          id: 'run',
          title: 'Run',
          cell: ({ decision: { armRun } }) => (armRun === null ? '' : <RunLink run={armRun} />),
        }
      : null,
  ];
  return (
    <DataTable
      caption="Decisions"
      rows={groups}
      columns={columns.filter((column) => column !== null)}
      keyOf={({ decision: { arm, unit, run, stage } }) => `${arm} ${unit} ${run} ${stage}`}
    />
  );
}

function Arms({
  arms,
  hrefOfArm,
}: {
  readonly arms: readonly string[];
  readonly hrefOfArm: DecisionsProps['hrefOfArm'];
}) {
  return (
    <span class="arms">
      {arms.map((arm) => (
        <span key={arm} class="one-line">
          {hrefOfArm === undefined ? arm : <a href={hrefOfArm(arm)}>{arm}</a>}
        </span>
      ))}
    </span>
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
  return <a href={hrefOf('context', `${history}@${stage}`, { context: form })}>{form}</a>;
}

// How alike the arms decided, what a decision depends on, what the ablation cost, and published figures beside it.
import type { Ablated, Likeness as Pair, Published } from '../../../../schemas/ablation-output.ts';
import { type Column, DataTable } from '../../data-table.tsx';
import { Plain } from '../../parts.tsx';
import { amountsText, secondsText, threeDigits } from './figures.ts';

interface Alike {
  readonly arm: string;
  readonly actual: Pair | null;
  readonly nearest: Pair;
  readonly furthest: Pair;
}

export function Likeness({ ablated }: { readonly ablated: Ablated }) {
  const rows = ablated.arms.flatMap(({ arm }): readonly Alike[] => {
    const others = neighboursOf(arm, ablated);
    const [nearest, furthest] = [others[0], others.at(-1)];
    if (nearest === undefined || furthest === undefined) return [];
    return [{ arm, nearest, furthest, actual: others.find(({ other }) => other === 'actual') ?? null }];
  });
  if (rows.length < 3) return <p class="quiet">Too few decisions are recorded to compare arms.</p>;
  const distance = ({ knobs, same }: Pair): string => (same ? 'the same' : knobs.toFixed(1));
  const columns: readonly Column<Alike>[] = [
    { id: 'arm', title: 'Arm', cell: ({ arm }) => <span class="one-line">{arm}</span> },
    {
      id: 'actual',
      title: 'Unlike actual',
      align: 'right',
      cell: ({ actual }) => (actual === null ? '' : distance(actual)),
    },
    { id: 'nearest', title: 'Most alike', cell: ({ nearest }) => `${nearest.other}: ${distance(nearest)}` },
    { id: 'furthest', title: 'Least alike', cell: ({ furthest }) => `${furthest.other}: ${distance(furthest)}` },
  ];
  return (
    <>
      <DataTable caption="How alike the arms decided" rows={rows} columns={columns} keyOf={({ arm }) => arm} />
      <p class="quiet">Number of knobs that differ, on average over the decisions.</p>
    </>
  );
}

/** Every other arm with its distance, the most alike first. */
function neighboursOf(arm: string, { likeness }: Pick<Ablated, 'likeness'>): readonly Pair[] {
  return likeness
    .flatMap((pair) => (pair.arm === arm ? [pair] : pair.other === arm ? [{ ...pair, arm, other: pair.arm }] : []))
    .toSorted((one, other) => one.knobs - other.knobs);
}

type Left = NonNullable<Ablated['sensitivity']>['left'][number];

const mostChanges = 8;

export function Sensitivity({ sensitivity }: { readonly sensitivity: NonNullable<Ablated['sensitivity']> }) {
  const columns: readonly Column<Left>[] = [
    { id: 'without', title: 'Not shown', cell: ({ without }) => <Plain text={without} /> },
    {
      id: 'knobs',
      title: 'Knobs that change',
      align: 'right',
      cell: ({ came, changed }) => (came === 'proposed' ? changed.length : '–'),
    },
    {
      id: 'changed',
      title: 'Decided differently, from the whole context to the one without that part',
      cell: ({ came, changed }) => (came === 'proposed' ? changedText(changed) : came),
    },
  ];
  const sorted = sensitivity.left.toSorted((one, other) => other.changed.length - one.changed.length);
  return (
    <DataTable
      caption="What the decision depends on"
      rows={sorted}
      columns={columns}
      keyOf={({ without }) => without}
    />
  );
}

function changedText(changed: Left['changed']): string {
  if (changed.length === 0) return 'no knob';
  const value = (one: number | null): string => (one === null ? 'none' : threeDigits(one));
  const shown = changed
    .slice(0, mostChanges)
    .map(({ knob, whole, less }) => `${knob} ${value(whole)} → ${value(less)}`);
  const rest = changed.length - shown.length;
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

export function Costs({ ablated }: { readonly ablated: Ablated }) {
  const { spent, cost, trainings, decisions } = ablated;
  const seconds = trainings.reduce((sum, one) => sum + (one.seconds ?? 0), 0);
  const tokens = decisions.reduce((sum, one) => sum + (one.tokens ?? 0), 0);
  const shared = trainings.filter(({ sharedWith }) => sharedWith !== null).length;
  return (
    <dl class="facts">
      <dt>Training</dt>
      <dd>
        {trainings.length === 0
          ? 'nothing was trained'
          : `${trainings.length - shared} trainings${shared === 0 ? '' : `, and ${shared} more arms that share one of them`}, ${secondsText(seconds)}`}
      </dd>
      <dt>Spent</dt>
      <dd>{amountsText(spent) || 'nothing recorded'}</dd>
      <dt>Models</dt>
      <dd>
        {tokens === 0 ? 'no model was asked' : `${tokens.toLocaleString('en')} tokens`}
        {Object.keys(cost).length === 0 ? '' : `, ${amountsText(cost)}`}
      </dd>
    </dl>
  );
}

export function PublishedFigures({ what, rows, columns, says }: Published) {
  type Row = Published['rows'][number];
  const shown: readonly Column<Row>[] = [
    { id: 'label', title: 'What', cell: ({ label }) => label },
    { id: 'theirs', title: 'Published', align: 'right', cell: ({ theirs }) => theirs },
    { id: 'ours', title: 'Here', align: 'right', cell: ({ ours }) => ours ?? '–' },
    { id: 'arm', title: 'Arm', cell: ({ arm }) => arm ?? '' },
  ];
  return (
    <>
      <h2>Published figures: {what}</h2>
      <p class="warning">{says}</p>
      <DataTable caption={`Published figures: ${what}`} rows={rows} columns={shown} keyOf={({ label }) => label} />
      <p class="quiet">{columns.join('; ')}.</p>
    </>
  );
}

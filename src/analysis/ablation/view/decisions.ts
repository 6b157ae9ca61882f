// What the arms decided: scores, changes, how similar the arms are, and what a decision depends on.
import type { Ablated, AblatedDecision, Sensitivity } from '../../../../schemas/ablation-output.ts';
import { canUseNothing } from '../../../../schemas/arm-names.ts';
import { listNames } from '../../../base/name-lists.ts';
import { count, money } from '../../../base/quantity.ts';
import {
  type Block,
  type ColumnOf,
  longestName,
  note,
  type Section,
  section,
  table,
} from '../../../document/document.ts';
import { percent, shortTurnText, threeDigits } from '../../../document/figures.ts';
import { citationMeaning } from '../values.ts';
import { meanOf } from './figures.ts';

const mostChanged = 4;

type Left = Sensitivity['left'][number];

/** What changes in a decision when one thing is not shown. */
export function sensitivitySection(ablated: Ablated): Section {
  const blocks = sensitivityTable(ablated);
  if (blocks.length === 0) return section(null, []);
  return section(`What ${ablated.sensitivity?.arm} decides when one thing is not shown`, [
    ...blocks,
    note('From the decision with the whole context to the decision without that part; the largest difference first.'),
  ]);
}

/** A row for each thing left out, the one that changes most first. */
export function sensitivityTable({ sensitivity }: Ablated, most = Number.POSITIVE_INFINITY): readonly Block[] {
  if (sensitivity === null || sensitivity.left.length === 0) return [];
  const left = sensitivity.left.toSorted((one, other) => other.changed.length - one.changed.length);
  const more = left.length - most;
  return [
    table(left.slice(0, most), [
      { title: 'not shown', mark: 'strong', limit: longestName, cell: ({ without }) => without },
      {
        title: 'knobs',
        align: 'right',
        cell: ({ came, changed }) => (came === 'proposed' ? count(changed.length) : '-'),
      },
      { title: 'decided differently', wraps: true, cell: changedText },
    ]),
    ...(more > 0 ? [note(`${count(more)} more: --verbose`)] : []),
  ];
}

function changedText({ came, changed }: Left): string {
  if (came !== 'proposed') return came;
  if (changed.length === 0) return 'no knob';
  const far = ({ whole, less }: Left['changed'][number]): number =>
    whole === null || less === null ? 1 : Math.abs(whole - less) / (Math.max(Math.abs(whole), Math.abs(less)) || 1);
  const shown = changed.toSorted((one, other) => far(other) - far(one)).slice(0, mostChanged);
  const rest = changed.length - shown.length;
  const turns = shown.map(({ knob, whole, less }) => `${knob} ${turnText({ from: whole, to: less })}`);
  return `${turns.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

type Score = keyof AblatedDecision['scores'];

const right = { align: 'right' } as const;

interface Scored {
  readonly score: Score;
  readonly title: string;
  readonly text: (value: number) => string;
  readonly says: string;
}

const scores: readonly Scored[] = [
  {
    score: 'citation',
    title: 'citation',
    text: coarse,
    says: citationMeaning,
  },
  { score: 'preservation', title: 'preservation', text: percent, says: 'families that work and were kept, in %' },
  { score: 'valid', title: 'usable', text: percent, says: 'answers used without clamps, in %' },
  { score: 'brier', title: 'Brier', text: fine, says: 'error of the predictions; lower is better' },
  {
    score: 'rankCorrelation',
    title: 'rank',
    text: coarse,
    says: 'rank correlation: whether it knows which families are harder',
  },
];

function fine(value: number): string {
  return value.toFixed(3);
}

function coarse(value: number): string {
  return value.toFixed(2);
}

/** Scores of the decisions of each arm before any training, and their cost. */
export function scoresSection({ arms, decisions }: Ablated): Section {
  const byArm = Map.groupBy(decisions, ({ arm }) => arm);
  const rows = arms
    .filter((arm) => !canUseNothing(arm))
    .map(({ arm }) => ({ arm, own: byArm.get(arm) ?? [] }))
    .filter(({ own }) => own.length > 0);
  if (rows.length === 0) return section(null, []);
  const known = scores.filter(({ score }) => decisions.some((one) => one.scores[score] !== null));
  const columns: readonly ColumnOf<(typeof rows)[number]>[] = [
    { title: 'arm', mark: 'strong', limit: longestName, cell: ({ arm }) => arm },
    ...known.map(({ score, title, text }) => ({
      title,
      ...right,
      cell: ({ own }: (typeof rows)[number]) => {
        const mean = meanOf(own.map((one) => one.scores[score]));
        return mean === null ? '' : text(mean);
      },
    })),
    { title: 'rejected', ...right, cell: ({ own }) => fewText(own, 'rejected') },
    ...(decisions.some(({ came }) => came === 'errored')
      ? [{ title: 'errored', ...right, cell: ({ own }: (typeof rows)[number]) => fewText(own, 'errored') }]
      : []),
    { title: 'tokens', ...right, cell: ({ own }) => tokensText(own) },
    ...currenciesOf(decisions).map((currency) => ({
      title: 'cost',
      ...right,
      cell: ({ own }: (typeof rows)[number]) => costText(own, currency),
    })),
  ];
  return section('Scores of the decisions', [
    table(rows, columns, { repeats: true }),
    note(`Means over decisions. ${known.map(({ title, says }) => `${title}: ${says}`).join('; ')}.`),
  ]);
}

function fewText(own: readonly AblatedDecision[], came: AblatedDecision['came']): string {
  const some = own.filter((one) => one.came === came).length;
  return some === 0 ? '' : `${count(some)} of ${count(own.length)}`;
}

function tokensText(own: readonly AblatedDecision[]): string {
  const tokens = own.flatMap((one) => one.tokens ?? []);
  return tokens.length === 0 ? '' : count(tokens.reduce((sum, one) => sum + one, 0));
}

function currenciesOf(decisions: readonly AblatedDecision[]): readonly string[] {
  return [...new Set(decisions.flatMap(({ cost }) => Object.keys(cost)))];
}

function costText(own: readonly AblatedDecision[], currency: string): string {
  const amounts = own.flatMap(({ cost }) => cost[currency] ?? []);
  if (amounts.length === 0) return '';
  return money(
    amounts.reduce((sum, one) => sum + one, 0),
    currency,
  );
}

type KnobTurn = Pick<AblatedDecision['changes'][number], 'knob' | 'from' | 'to'>;

const mostShown = 2;

/**
 * What the arms decided, stage by stage: the largest changes against the configuration in force, and where they differ from
 * what was really done. Arms that decided the same share a row. Of several seeds the first is shown.
 */
export function decisionsSection(ablated: Ablated): Section {
  const { decisions, units } = ablated;
  const unit = units.find((one) => decisions.some((decision) => decision.unit === one.unit))?.unit;
  if (unit === undefined) return section(null, []);
  const shown = decisions.filter((one) => one.unit === unit);
  const byStage = Map.groupBy(shown, ({ stage }) => stage);
  const stages = [...byStage]
    .toSorted(([one], [other]) => one - other)
    .map(([stage, own]) => [stage, alike(own)] as const);
  return section(units.length === 1 ? 'What they decided' : `What they decided with ${unit}`, [
    ...stages.map(([stage, rows]) => stageTable(stage, rows)),
    note(
      decisionsLegend(
        ablated,
        stages.some(([, rows]) => rows.some(({ arms }) => arms.length > 1)),
      ),
    ),
  ]);
}

function stageTable(stage: number, rows: readonly Row[]): Block {
  return table(rows, [
    {
      title: `for stage ${stage}`,
      mark: 'strong',
      limit: longestName,
      cell: ({ arms }) => (arms.length === 1 ? (arms[0] ?? '') : `${arms[0]} +${arms.length - 1}`),
    },
    { title: 'knobs', align: 'right', cell: ({ decision }) => knobsText(decision) },
    ...(rows.some(({ decision }) => decision.differs !== null)
      ? [{ title: 'differ', align: 'right' as const, cell: ({ decision }: Row) => differText(decision) }]
      : []),
    { title: 'largest changes', wraps: true, cell: decidedText },
  ]);
}

interface Row {
  readonly arms: readonly string[];
  readonly decision: AblatedDecision;
}

/** Arms that decided the same configuration share a row. */
function alike(own: readonly AblatedDecision[]): readonly Row[] {
  const groups = Map.groupBy(own, ({ arm, configuration }) => configuration ?? `arm ${arm}`);
  return Array.from(groups.values()).flatMap((some) => {
    const [decision] = some;
    return decision === undefined ? [] : [{ arms: some.map(({ arm }) => arm), decision }];
  });
}

function knobsText({ came, changes }: AblatedDecision): string {
  return came === 'proposed' ? count(changes.length) : '-';
}

function differText({ came, differs }: AblatedDecision): string {
  return came !== 'proposed' || differs === null ? '-' : count(differs.length);
}

function decidedText({ arms, decision }: Row): string {
  const { came, why, changes, differs, clamps } = decision;
  if (came === 'errored') return `errored${why === null ? '' : `: ${why}`}`;
  if (came === 'rejected') return `rejected${why === null ? '' : `: ${why}`}; the configuration is kept`;
  const done = (differs ?? []).slice(0, mostShown);
  return [
    changes.length === 0 ? 'no change' : turnsText(changes),
    ...(done.length === 0 ? [] : [`actual: ${done.map(({ knob, from }) => `${knob} ${knobText(from)}`).join(', ')}`]),
    ...(clamps === 0 ? [] : [`${clamps} clamped`]),
    ...(arms.length === 1 ? [] : [`same decision: ${listNames(arms.slice(1))}`]),
  ].join('; ');
}

function turnsText(turns: readonly KnobTurn[]): string {
  const largest = turns.slice(0, mostShown);
  return largest.map((one) => `${one.knob} ${turnText(one)}`).join(', ');
}

/** `3.data 0.13 → 0.29, +2 more`: the largest change of the first decision, and the number of other changed knobs. */
export function mainChangeText([first]: readonly AblatedDecision[]): string {
  if (first === undefined) return '';
  if (first.came !== 'proposed') return first.came;
  const [largest, ...others] = first.changes;
  if (largest === undefined) return 'no change';
  return `${largest.knob} ${shortTurnText(largest)}${others.length === 0 ? '' : `, +${others.length} more`}`;
}

function decisionsLegend({ units, decisions }: Ablated, isShared: boolean): string {
  const rest =
    units.length === 1 ? '' : ` ${count(decisions.length)} decisions in ${count(units.length)} seeds: --json has all.`;
  const differ = decisions.some(({ differs }) => differs !== null)
    ? '; differ: how many values differ from the actual decision; values of the actual decision follow where they differ most'
    : '';
  const shared = isShared ? ' +1 after an arm: one other arm decided the same.' : '';
  return `knobs: how many change${differ}. The largest changes first, in steps of their knobs.${shared}${rest}`;
}

interface Neighbour {
  readonly arm: string;
  readonly knobs: number;
  readonly same: boolean;
}

const actual = 'actual';

/** How many knobs each arm decides differently from the actual decision and from the most and least similar arm. */
export function likenessSection(ablated: Ablated): Section {
  const rows = ablated.arms.flatMap(({ arm }) => {
    const others = neighboursOf(arm, ablated);
    const [nearest, furthest] = [others[0], others.at(-1)];
    if (nearest === undefined || furthest === undefined) return [];
    return [{ arm, nearest, furthest, recorded: others.find((one) => one.arm === actual) ?? null }];
  });
  if (rows.length < 3) return section(null, []);
  return section('How similar the decisions are', [
    table(rows, [
      { title: 'arm', mark: 'strong', limit: longestName, cell: ({ arm }) => arm },
      { title: actual, align: 'right', cell: ({ recorded }) => (recorded === null ? '' : distanceText(recorded)) },
      { title: 'most similar', limit: longestName, cell: ({ nearest }) => `${distanceText(nearest)} ${nearest.arm}` },
      {
        title: 'least similar',
        limit: longestName,
        cell: ({ furthest }) => `${distanceText(furthest)} ${furthest.arm}`,
      },
    ]),
    note('Number of knobs that differ, averaged over decisions.'),
  ]);
}

/** The most similar first. */
function neighboursOf(arm: string, { likeness }: Pick<Ablated, 'likeness'>): readonly Neighbour[] {
  return likeness
    .flatMap(({ arm: one, other, knobs, same }) => {
      if (one === arm) return [{ arm: other, knobs, same }];
      return other === arm ? [{ arm: one, knobs, same }] : [];
    })
    .toSorted((one, other) => one.knobs - other.knobs);
}

function distanceText({ knobs, same }: Neighbour): string {
  return same ? 'same' : knobs.toFixed(1);
}

/** Three digits show differences between arms. */
function knobText(value: number | null): string {
  return value === null ? 'none' : threeDigits(value);
}

function turnText({ from, to }: Pick<KnobTurn, 'from' | 'to'>): string {
  return `${knobText(from)} → ${knobText(to)}`;
}

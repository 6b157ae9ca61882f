// What the arms decided, stage by stage: the largest changes against the configuration in force, and where they are
// otherwise than what was really done. Arms that decided the same stand in one row. Of several seeds the first is told.

import type { Ablated, AblatedDecision } from '../../../../schemas/ablation-output.ts';
import { listed } from '../../../base/listed.ts';
import { gap, longestName, note, type Part, table } from '../../output/page/page.ts';
import type { Paint } from '../../output/paint.ts';
import { count } from '../../output/quantity.ts';
import { knobText, turnText } from './figures.ts';

type Turn = Pick<AblatedDecision['changes'][number], 'knob' | 'from' | 'to'>;

/** How many there are stands beside them. */
const mostTold = 2;

export function proposedParts(ablated: Ablated, paint: Paint): readonly Part[] {
  const { decisions, units } = ablated;
  const unit = units.find((one) => decisions.some((decision) => decision.unit === one.unit))?.unit;
  if (unit === undefined) return [];
  const told = decisions.filter((one) => one.unit === unit);
  const sizes = sizesOf(decisions);
  const byStage = Map.groupBy(told, ({ stage }) => stage);
  const stages = [...byStage].toSorted(([one], [other]) => one - other);
  return [
    { kind: 'heading', text: units.length === 1 ? 'What they decided' : `What they decided in ${unit}` },
    ...stages.flatMap(([stage, own], i) => [...(i === 0 ? [] : [gap]), stageTable(stage, own, sizes, paint)]),
    note(legend(ablated)),
  ];
}

function stageTable(
  stage: number,
  own: readonly AblatedDecision[],
  sizes: ReadonlyMap<string, number>,
  paint: Paint,
): Part {
  const rows = alike(own);
  const columns = [
    {
      title: `after stage ${stage}`,
      paint: paint.bold,
      most: longestName,
      cells: rows.map(({ arms }) => (arms.length === 1 ? (arms[0] ?? '') : `${arms[0]} +${arms.length - 1}`)),
    },
    { title: 'knobs', align: 'right' as const, cells: rows.map(({ decision }) => knobsText(decision)) },
    { title: 'otherwise', align: 'right' as const, cells: rows.map(({ decision }) => otherwiseText(decision)) },
    { title: 'the largest', wraps: true as const, cells: rows.map((row) => decidedText(row, sizes)) },
  ];
  return table(columns);
}

interface Row {
  readonly arms: readonly string[];
  readonly decision: AblatedDecision;
}

/** Those that decided the same configuration; each without one is by itself. */
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

function otherwiseText({ came, differs }: AblatedDecision): string {
  return came !== 'proposed' || differs === null ? '-' : count(differs.length);
}

function decidedText({ arms, decision }: Row, sizes: ReadonlyMap<string, number>): string {
  const { came, why, changes, differs, clamps } = decision;
  if (came === 'errored') return `errored${why === null ? '' : `: ${why}`}`;
  if (came === 'rejected') return `rejected${why === null ? '' : `: ${why}`}; the configuration in force stays`;
  const done = largestOf(differs ?? [], sizes).slice(0, mostTold);
  return [
    changes.length === 0 ? 'left as it was' : turnsText(changes, sizes),
    ...(done.length === 0 ? [] : [`done: ${done.map(({ knob, from }) => `${knob} ${knobText(from)}`).join(', ')}`]),
    ...(clamps === 0 ? [] : [`${clamps} moved into range`]),
    ...(arms.length === 1 ? [] : [`the same: ${listed(arms.slice(1))}`]),
  ].join('; ');
}

function turnsText(turns: readonly Turn[], sizes: ReadonlyMap<string, number>): string {
  const largest = largestOf(turns, sizes).slice(0, mostTold);
  return largest.map((one) => `${one.knob} ${turnText(one)}`).join(', ');
}

/** Knobs have units of their own: each is held against the largest value that it had anywhere. */
function largestOf<Some extends Turn>(turns: readonly Some[], sizes: ReadonlyMap<string, number>): readonly Some[] {
  const extent = ({ knob, from, to }: Turn): number =>
    from === null || to === null ? 1 : Math.abs(to - from) / (sizes.get(knob) || 1);
  return turns.toSorted((one, other) => extent(other) - extent(one));
}

function sizesOf(decisions: readonly AblatedDecision[]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { changes, differs } of decisions) {
    for (const { knob, from, to } of [...changes, ...(differs ?? [])]) {
      sizes.set(knob, Math.max(sizes.get(knob) ?? 0, Math.abs(from ?? 0), Math.abs(to ?? 0)));
    }
  }
  return sizes;
}

function legend({ units, decisions }: Ablated): string {
  const rest =
    units.length === 1 ? '' : ` ${count(decisions.length)} decisions in ${count(units.length)} seeds: --json has all.`;
  return `knobs: turned against the configuration in force; otherwise: those other than what was really done; done: what that was, where it differs most.${rest}`;
}

// A proposal for people: what it changes and why, what it keeps, expects and came to be clamped, how good it is as far as
// that can be told; or why there is none.
import type { ProposeResult } from '../../../../schemas/by-hand-output.ts';
import type { EventData } from '../../../../schemas/catalogue.ts';
import { placeOf } from '../../../ledger/event.ts';
import type { Context } from '../../context.ts';
import { money } from '../../output/money.ts';
import { count, short } from '../../output/quantity.ts';
import { table } from '../../output/table.ts';
import { visible } from '../../output/visible.ts';
import { knobText, percent } from '../../runs/figures.ts';
import { section } from '../../runs/section.ts';
import { reasonText } from './adopted-text.ts';
import type { Reached } from './reached.ts';

type Proposed = NonNullable<ProposeResult['proposed']>;
type Rejected = NonNullable<ProposeResult['rejected']>;
type Shown = EventData['ContextRecorded'] | null;

export function proposalText(context: Context, place: Reached, result: ProposeResult, shown: Shown): string {
  const { proposed, rejected } = result;
  const parts = [
    headText(context, place, result, shown),
    ...(proposed === null ? [] : proposedParts(context, proposed)),
    ...(rejected === null ? [] : [rejectedText(context, rejected)]),
    endText(result),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function headText(
  { paint }: Context,
  { name, stage: { stage } }: Reached,
  { proposed, rejected }: ProposeResult,
  shown: Shown,
): string {
  const engineer = (proposed ?? rejected)?.engineer.name ?? '';
  const form = shown?.contextForm.name ?? shown?.contextForm.modules.join(',');
  const saw = shown === null ? 'without a context' : `shown ${form}, ${count(shown.tokens)} tokens`;
  const what = proposed === null ? 'no usable proposal' : 'proposes';
  const rationale = proposed?.rationale ?? null;
  const head = `${paint.bold(visible(`${engineer} on ${name}@${stage}`))}, ${visible(saw)}: ${what} for stage ${stage + 1}\n`;
  return rationale === null ? head : `${head}  "${visible(rationale)}"\n`;
}

function proposedParts(context: Context, proposed: Proposed): readonly string[] {
  const { kept, clamps, scores, cost, changes } = proposed;
  const keptLines = (kept ?? []).map((one) => `${one.knob}${reasonText(one)}`);
  const clampLines = clamps.map(({ knob, proposed: was, used, rule }) => {
    return `${knob}: ${knobText(was)} was proposed, ${knobText(used)} is used (${rule})`;
  });
  return [
    changes.length === 0 ? 'nothing changes\n' : changesText(context, changes),
    section(context, 'kept', keptLines.map(visible)),
    section(context, 'clamped', clampLines.map(visible)),
    predictionsText(context, proposed.predictions),
    section(context, 'scores', scoreLines(scores)),
    cost === undefined ? '' : `cost ${money(cost.total, cost.currency)}\n`,
  ];
}

function changesText({ io, paint }: Context, changes: Proposed['changes']): string {
  const rows = changes.map(({ knob, from, to, cites, reason }) => [
    `  ${visible(knob)}`,
    knobText(from),
    knobText(to),
    visible((cites ?? []).join(' ')),
    visible(reason ?? ''),
  ]);
  const columns = [
    { title: '  knob' },
    { title: 'from', align: 'right' as const },
    { title: 'to', align: 'right' as const },
    { title: 'cites' },
    { title: 'reason', wraps: true as const },
  ];
  return `${paint.bold('changes')}\n${table(columns, rows, io.stdout)}`;
}

function predictionsText({ io, paint }: Context, predictions: Proposed['predictions']): string {
  if (predictions === null || predictions.length === 0) return '';
  const rows = predictions.map(({ family, measure, value }) => [
    `  ${visible(family)}`,
    visible(measure),
    percent(value),
  ]);
  const columns = [{ title: '  family' }, { title: 'measure' }, { title: '%', align: 'right' as const }];
  return `${paint.bold('predicts of the policy as it is')}\n${table(columns, rows, io.stdout)}`;
}

function scoreLines(scores: Proposed['scores']): readonly string[] {
  const { citation, preservation, usable, calibration } = scores ?? {};
  const named: readonly (readonly [string, unknown])[] = [
    ['citation score', citation],
    ['preservation', preservation],
    ['usable', usable],
    ['Brier score of its predictions', calibration?.brier],
    ['their rank correlation', calibration?.rankCorrelation],
  ];
  return named.flatMap(([name, score]) =>
    typeof score === 'number' ? [`${name} ${short(Number(score.toPrecision(3)))}`] : [],
  );
}

function rejectedText(context: Context, { reason: why, issues }: Rejected): string {
  const lines = issues.map(({ field, found, allowed }) => {
    return `${field === '' ? 'the whole' : field}: found ${found}, allowed: ${allowed}`;
  });
  return section(context, `rejected as ${why}`, lines.map(visible)) || `rejected as ${why}\n`;
}

function endText({ recorded, out }: ProposeResult): string {
  const where = recorded === null ? 'not recorded' : `recorded as ${placeOf(recorded)}`;
  return visible(`${where}, not adopted${out === null ? '' : `; written to ${out}`}`).concat('\n');
}

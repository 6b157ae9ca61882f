// What was proposed or adopted by hand, as documents: changes with reasons, knobs kept, clamps, predictions and scores, or why the
// answer was rejected.
import type { AdoptResult, ProposeResult } from '../../../schemas/by-hand-output.ts';
import { count, money } from '../../base/quantity.ts';
import {
  type Block,
  type Document,
  filled,
  lines,
  paragraph,
  type Section,
  section,
  table,
  warning,
} from '../../document/document.ts';
import { knobText, percent, threeDigits, turnText } from '../../document/figures.ts';
import { placeOf } from '../../ledger/event.ts';

type Proposed = NonNullable<ProposeResult['proposed']>;
type Rejected = NonNullable<ProposeResult['rejected']>;

export function adoptedDocument({ name, stage, adopted, leftOut, recorded }: AdoptResult): Document {
  const { changes, kept, rationale } = adopted;
  const all = [
    ...(rationale === null ? [] : [`"${rationale}"`]),
    ...changes.map((change) => `${change.knob} ${turnText(change)}${reasonText(change)}`),
    ...(changes.length === 0 ? ['no change'] : []),
    ...(kept ?? []).map((one) => `${one.knob} kept${reasonText(one)}`),
  ];
  return {
    title: `${name}@${stage}: decided`,
    blocks: [],
    sections: filled([
      section('changes', [lines(all)]),
      section(
        null,
        leftOut.length === 0
          ? []
          : [warning(`The engineer's reasons for values that you changed were left out: ${leftOut.join(', ')}`)],
      ),
      section(null, [paragraph(`recorded as ${placeOf(recorded)}`)]),
    ]),
  };
}

type Given = Pick<AdoptResult['adopted']['changes'][number], 'cites' | 'reason'>;

/** `, cites F3 B8.valid: too many falls` */
function reasonText({ cites, reason }: Given): string {
  const cited = cites === null || cites.length === 0 ? '' : `, cites ${cites.join(' ')}`;
  return `${cited}${reason === null ? '' : `: ${reason}`}`;
}

export function proposalDocument(result: ProposeResult): Document {
  const { proposed, rejected } = result;
  const rationale = proposed?.rationale ?? null;
  return {
    title: titleOf(result),
    blocks: rationale === null ? [] : [lines([`"${rationale}"`])],
    sections: filled([
      ...(proposed === null ? [] : proposedSections(proposed)),
      ...(rejected === null ? [] : [rejectedSection(rejected)]),
      section(null, costBlocks(proposed ?? rejected)),
      section(null, [paragraph(endText(result))]),
    ]),
  };
}

/** What a model's answers cost, usable or not; other engineers cost nothing. */
function costBlocks(answered: Proposed | Rejected | null): readonly Block[] {
  const { answers = [], cost } = answered ?? {};
  if (cost !== undefined) return [paragraph(`cost ${money(cost.total, cost.currency)}`)];
  if (answers.length === 0) return [];
  return [paragraph('cost unknown: the endpoint did not count the tokens, or the model has no prices')];
}

function titleOf(result: ProposeResult): string {
  const { name, stage, context, proposed } = result;
  const saw = context === null ? 'without a context' : `shown ${context.form}, ${count(context.tokens)} tokens`;
  const what = proposed === null ? 'has no usable proposal' : 'proposes';
  return `${engineerText(result)} ${what} for ${name}@${stage}, ${saw}`;
}

/** The engineer; where it asks the weights of a stage, with these: `checkpoint (checkpoint@2)`. */
function engineerText({ proposed, rejected }: ProposeResult): string {
  const { name = 'an engineer', checkpoint } = (proposed ?? rejected)?.engineer ?? {};
  const weights = checkpoint?.stage === undefined ? name : `checkpoint@${checkpoint.stage}`;
  return weights === name ? name : `${name} (${weights})`;
}

function proposedSections({ kept, clamps, scores, changes, predictions }: Proposed): readonly Section[] {
  const listed = (all: readonly string[]): readonly Block[] => (all.length === 0 ? [] : [lines(all)]);
  const clamped = clamps.map(({ knob, proposed: was, used, rule }) => {
    return `${knob}: ${knobText(was)} was proposed, ${knobText(used)} is used (${rule})`;
  });
  return [
    changes.length === 0 ? section(null, [paragraph('no change')]) : section('changes', [changesTable(changes)]),
    section('kept', listed((kept ?? []).map((one) => `${one.knob}${reasonText(one)}`))),
    section('clamped', listed(clamped)),
    section('predictions for the current policy', predictionsBlocks(predictions)),
    section('scores', listed(scoreLines(scores))),
  ];
}

function changesTable(changes: Proposed['changes']): Block {
  return table(changes, [
    { title: 'knob', cell: ({ knob }) => knob },
    { title: 'from', align: 'right', cell: ({ from }) => knobText(from) },
    { title: 'to', align: 'right', cell: ({ to }) => knobText(to) },
    { title: 'cites', cell: ({ cites }) => (cites ?? []).join(' ') },
    { title: 'reason', wraps: true, cell: ({ reason }) => reason ?? '' },
  ]);
}

function predictionsBlocks(predictions: Proposed['predictions']): readonly Block[] {
  if (predictions === null || predictions.length === 0) return [];
  return [
    table(predictions, [
      { title: 'family', cell: ({ family }) => family },
      { title: 'measure', cell: ({ measure }) => measure },
      { title: '%', align: 'right', cell: ({ value }) => percent(value) },
    ]),
  ];
}

function scoreLines(scores: Proposed['scores']): readonly string[] {
  const { citation, preservation, usable, calibration } = scores ?? {};
  const named: readonly (readonly [string, unknown])[] = [
    ['citation score', citation],
    ['preservation', preservation],
    ['usable', usable],
    ['Brier score of the predictions', calibration?.brier],
    ['rank correlation of the predictions', calibration?.rankCorrelation],
  ];
  return named.flatMap(([name, score]) => (typeof score === 'number' ? [`${name} ${threeDigits(score)}`] : []));
}

function rejectedSection({ reason, issues }: Rejected): Section {
  const all = issues.map(({ field, found, allowed }) => {
    return `${field === '' ? 'the answer' : field}: found ${found}, allowed: ${allowed}`;
  });
  return section(`rejected as ${reason}`, [lines(all)]);
}

function endText({ recorded, out }: ProposeResult): string {
  const where = recorded === null ? 'not recorded' : `recorded as ${placeOf(recorded)}`;
  return `${where}, not adopted${out === null ? '' : `; written to ${out}`}`;
}

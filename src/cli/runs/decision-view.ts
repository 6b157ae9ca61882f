// How a configuration came about: in a line of a run, and in full as a section of a stage.
import type { Decision } from '../../../schemas/run-output.ts';
import { counted } from '../../base/quantity.ts';
import { type Block, lines, type Section, section, table } from '../../document/document.ts';
import { knobText, percent, rateText, shortDigest, stepsText, threeDigits, turnText } from '../../document/figures.ts';

const fewChanges = 3;

/** Who decided, what changed, what was clamped, rejected or errored; empty where nothing is known of it. */
export function decisionLine(decision: Decision): string {
  const { changes, clamps, rejections, errors, by } = decision;
  const who = whoText(decision);
  if (who === '' && changes.length === 0) return '';
  const first = changes.slice(0, fewChanges).map((one) => `${one.knob} ${turnText(one)}`);
  const rest = changes.length > fewChanges ? [`${changes.length - fewChanges} more`] : [];
  const what = changes.length === 0 ? 'nothing changes' : [...first, ...rest].join(', ');
  const clamped = clamps.length === 0 ? [] : [clampsText(clamps)];
  const rejected = rejections.map((one) => rejectionText(one, by === 'kept' && rejections.length === 1));
  const errored = errors.map(({ kind, message }) => `${kind}, ${message}`);
  return `${who === '' ? '' : `${who}: `}${[what, ...clamped, ...rejected, ...errored].join('; ')}`;
}

function whoText({ by, who }: Pick<Decision, 'by' | 'who'>): string {
  if (by === 'kept') return who === null ? 'kept' : `kept after asking ${who}`;
  if (by === 'errored') return `errored${who === null ? '' : `, asking ${who}`}`;
  if (by === 'initial') return 'the initial configuration';
  return who ?? (by === 'human' ? 'a person' : '');
}

function clampsText(clamps: Decision['clamps']): string {
  const [first] = clamps;
  if (first === undefined) return '';
  const one = `${first.knob} ${knobText(first.proposed)} → ${knobText(first.used)}, ${first.rule}`;
  return `${counted(clamps.length, 'clamp')} (${one}${clamps.length > 1 ? ', …' : ''})`;
}

function rejectionText({ engineer, reason, issues }: Decision['rejections'][number], isOnlyOne: boolean): string {
  const [issue] = issues;
  const whose = isOnlyOne ? 'its answer' : `an answer of ${engineer}`;
  const rest = issues.length > 1 ? ` and ${counted(issues.length - 1, 'more issue')}` : '';
  const why = issue === undefined ? '' : `, ${issue.field}: found ${issue.found}, allowed: ${issue.allowed}${rest}`;
  return `${whose} was rejected as ${reason}${why}`;
}

/** Each change with its reason and what it cites, what was kept, clamped and rejected, and what was predicted. */
export function decisionSections(decision: Decision): readonly Section[] {
  const { changes, rejections, errors, predictions } = decision;
  const who = whoText(decision);
  if (who === '' && changes.length + rejections.length + errors.length === 0) return [];
  const title =
    decision.by === 'errored' || decision.by === 'kept'
      ? who
      : `decided by ${who === '' ? 'nobody that is recorded' : who}`;
  const blocks: readonly Block[] = [
    lines(decisionLines(decision)),
    ...(predictions === null || predictions.length === 0 ? [] : [predictionsTable(predictions, decision.stage)]),
  ];
  return [section(title, blocks)];
}

function decisionLines(decision: Decision): readonly string[] {
  const { stage, changes, kept, clamps, rationale, rejections, errors, context, proposal, scores } = decision;
  return [
    ...(rationale === null ? [] : [`"${rationale}"`]),
    ...changes.map((one) => {
      const steps = one.steps === null ? '' : ` (${stepsText(one.steps)})`;
      return `${one.knob} ${turnText(one)}${steps}${reasonText(one)}`;
    }),
    ...(changes.length === 0 && stage > 1 ? ['nothing changes'] : []),
    ...(kept ?? []).map((one) => `${one.knob} kept${reasonText(one)}`),
    ...clamps.map(
      ({ knob, proposed, used, rule }) =>
        `${knob} clamped: ${knobText(proposed)} was proposed, ${knobText(used)} is used (${rule})`,
    ),
    ...rejections.flatMap(({ event, engineer, reason, issues }) => [
      `an answer of ${engineer} was rejected as ${reason}: icecore event show ${event}`,
      ...issues.map(({ field, found, allowed }) => `  ${field}: found ${found}, allowed: ${allowed}`),
    ]),
    ...errors.flatMap(({ event, engineer, kind, message }) => [
      `${engineer} errored, ${kind}: icecore event show ${event}`,
      `  ${message}`,
    ]),
    ...(context === null
      ? []
      : [`shown: ${context.form === null ? '' : `${context.form}, `}context ${shortDigest(context.digest)}`]),
    ...(proposal === null ? [] : [`proposal: ${proposal}`]),
    ...(scores === null ? [] : [scoresText(scores)]),
  ];
}

/** What an engineer leaves out is said to be left out. */
function reasonText({ cites, reason }: Pick<Decision['changes'][number], 'cites' | 'reason'>): string {
  const cited = cites === null || cites.length === 0 ? 'cites nothing' : `because ${cites.join(', ')}`;
  return `, ${cited}${reason === null ? '' : `: ${reason}`}`;
}

function scoresText({
  citation,
  preservation,
  usable,
  brier,
  rankCorrelation,
}: NonNullable<Decision['scores']>): string {
  const named = { 'citation score': citation, preservation, usable, brier, 'rank correlation': rankCorrelation };
  const known = Object.entries(named).flatMap(([name, value]) =>
    value === null ? [] : [`${name} ${threeDigits(value)}`],
  );
  return `scores: ${known.length === 0 ? 'none' : known.join(', ')}`;
}

function predictionsTable(predictions: NonNullable<Decision['predictions']>, stage: number): Block {
  return table(predictions, [
    { title: 'family', cell: ({ family }) => family },
    { title: 'measure', cell: ({ measure }) => measure },
    { title: 'predicted', align: 'right', cell: ({ predicted }) => percent(predicted) },
    { title: `after stage ${stage - 1}`, align: 'right', cell: ({ came }) => rateText(came) },
    { title: 'in', cell: ({ split }) => split ?? '' },
  ]);
}

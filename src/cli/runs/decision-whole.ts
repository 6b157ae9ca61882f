// How a configuration came about, in full: each change with its reasons and what it cites, what was kept, clamped and
// rejected, and what was predicted beside what came.
import type { Decision } from '../../../schemas/run-output.ts';
import type { Context } from '../context.ts';
import { short } from '../output/quantity.ts';
import { table } from '../output/table.ts';
import { visible } from '../output/visible.ts';
import { whoText } from './decision-text.ts';
import { shortDigest } from './digest.ts';
import { knobText, percent, rateText, stepsText, turnText } from './figures.ts';
import { section } from './section.ts';

export function decisionWhole(context: Context, decision: Decision): string {
  const { stage, changes, kept, clamps, rationale, rejections, errors, context: shown, proposal, scores } = decision;
  const who = whoText(decision);
  if (who === '' && changes.length + rejections.length + errors.length === 0) return '';
  const lines = [
    ...(rationale === null ? [] : [`"${rationale}"`]),
    ...changes.map((one) => {
      const steps = one.steps === null ? '' : ` (${stepsText(one.steps)})`;
      return `${one.knob} ${turnText(one)}${steps}${reasonText(one)}`;
    }),
    ...(changes.length === 0 && stage > 1 ? ['nothing changes'] : []),
    ...(kept ?? []).map((one) => `${one.knob} kept${reasonText(one)}`),
    ...clamps.map(
      (one) =>
        `${one.knob} clamped: ${knobText(one.proposed)} was proposed, ${knobText(one.used)} is used (${one.rule})`,
    ),
    ...rejections.flatMap(({ event, engineer, reason, issues }) => [
      `an answer of ${engineer} was rejected as ${reason}: icecore event show ${event}`,
      ...issues.map(({ field, found, allowed }) => `  ${field}: found ${found}, allowed: ${allowed}`),
    ]),
    ...errors.flatMap(({ event, engineer, kind, message }) => [
      `${engineer} errored, ${kind}: icecore event show ${event}`,
      `  ${message}`,
    ]),
    ...(shown === null
      ? []
      : [`shown: ${shown.form === null ? '' : `${shown.form}, `}context ${shortDigest(shown.digest)}`]),
    ...(proposal === null ? [] : [`proposal: ${proposal}`]),
    ...(scores === null ? [] : [scoresText(scores)]),
  ];
  const title =
    decision.by === 'errored' || decision.by === 'kept'
      ? who
      : `decided by ${who === '' ? 'nobody that is recorded' : who}`;
  return section(context, visible(title), lines.map(visible)) + predictionsText(context, decision);
}

/** What is left out is said to be. */
function reasonText({ cites, reason }: Pick<Decision['changes'][number], 'cites' | 'reason'>): string {
  const cited = cites === null || cites.length === 0 ? 'cites nothing' : `because ${cites.join(', ')}`;
  return `, ${cited}${reason === null ? '' : `: ${reason}`}`;
}

function scoresText(scores: NonNullable<Decision['scores']>): string {
  const { citation, preservation, usable, brier, rankCorrelation } = scores;
  const named = {
    'citation score': citation,
    preservation,
    usable,
    brier,
    'rank correlation': rankCorrelation,
  };
  const known = Object.entries(named).flatMap(([name, value]) =>
    value === null ? [] : [`${name} ${short(Number(value.toPrecision(3)))}`],
  );
  return `scores: ${known.length === 0 ? 'none' : known.join(', ')}`;
}

function predictionsText({ io }: Context, { predictions, stage }: Decision): string {
  if (predictions === null || predictions.length === 0) return '';
  const rows = predictions.map(({ family, measure, predicted, came, split }) => [
    `  ${visible(family)}`,
    visible(measure),
    percent(predicted),
    rateText(came),
    split ?? '',
  ]);
  const columns = [
    { title: '  family' },
    { title: 'measure' },
    { title: 'predicted', align: 'right' as const },
    { title: `after stage ${stage - 1}`, align: 'right' as const },
    { title: 'in' },
  ];
  return table(columns, rows, io.stdout);
}

// One stage for the eye, in full: how it was set and why, what was learnt, how good the policy is and how it fails.
import type { Decision, StageShown } from '../../../schemas/run-output.ts';
import { wordOf } from '../../analysis/history/configurations.ts';
import type { Context } from '../context.ts';
import { sparkline } from '../output/curve.ts';
import { count, short } from '../output/quantity.ts';
import { table } from '../output/table.ts';
import { visible } from '../output/visible.ts';
import { alertLines } from './alerts.ts';
import { whoText } from './decision-text.ts';
import { knobText, percent, rateText, stepsText, turnText } from './figures.ts';
import { notesText } from './notes-text.ts';
import { amountsText } from './run-head.ts';
import { section } from './section.ts';

export function stageText(context: Context, told: StageShown): string {
  const { paint } = context;
  const state = `${told.isOver ? 'over' : `not over: ${reached(told)}`}${told.isShared ? ', shared history' : ''}`;
  const parts = [
    `${paint.bold(visible(`${told.name}@${told.stage}`))}  ${visible(state)}\n${factsText(context, told)}`,
    titled(context, 'configuration', knobsText(context, told.knobs)),
    decisionText(context, told.decision),
    titled(context, 'training', trainingText(context, told)),
    ...told.evaluations.map((evaluation) => evaluationText(context, evaluation)),
    titled(context, `failures in ${visible(told.failuresFrom ?? '')}`, failuresText(context, told)),
    section(context, 'alerts', alertLines([told])),
    notesText(context, told.notes),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function titled({ paint }: Context, title: string, text: string): string {
  return text === '' ? '' : `${paint.bold(title)}\n${text}`;
}

function reached({ recorded }: StageShown): string {
  return recorded.length === 0 ? 'nothing is recorded yet' : `there are ${recorded.join(', ')}`;
}

function factsText({ paint, io }: Context, { run, name, configuration, checkpoint, seed }: StageShown): string {
  const rows: readonly (readonly [string, string | null])[] = [
    ['run', run === name ? null : run],
    ['configuration', configuration === null ? null : shortDigest(configuration)],
    ['checkpoint', checkpoint === null ? null : shortDigest(checkpoint)],
    ['seed', seed === null ? null : String(seed)],
  ];
  const shown = rows.flatMap(([title, text]) => (text === null ? [] : [[`  ${title}`, visible(text)]]));
  return table(
    [
      { title: '', paint: paint.dim },
      { title: '', wraps: true },
    ],
    shown,
    io.stdout,
  );
}

/** So many words fit side by side; more are listed one below the other. */
const mostWords = 6;

/** A row a group where all groups have the same few knobs. */
function knobsText({ io }: Context, knobs: StageShown['knobs']): string {
  const words = [...new Set(knobs.flatMap((one) => (one.group === null ? [] : [wordOf(one)])))];
  if (words.length > mostWords) {
    const rows = knobs.map(({ knob, value }) => [`  ${visible(knob)}`, knobText(value)]);
    return table([{ title: '  knob' }, { title: 'value', align: 'right' }], rows, io.stdout);
  }
  const groups = [...new Set(knobs.flatMap(({ group }) => group ?? []))];
  const rows = groups.map((group) => {
    const own = new Map(knobs.filter((one) => one.group === group).map((one) => [wordOf(one), one.value]));
    return [`  ${visible(group)}`, ...words.map((word) => (own.has(word) ? knobText(own.get(word) ?? null) : ''))];
  });
  const columns = ['  group', ...words.map(visible)].map((title, i) => ({
    title,
    align: i === 0 ? ('left' as const) : ('right' as const),
  }));
  const common = knobs.filter(({ group }) => group === null);
  const alone = common.map(({ knob, value }) => `  ${visible(knob)} ${knobText(value)}\n`).join('');
  return (rows.length === 0 ? '' : table(columns, rows, io.stdout)) + alone;
}

function decisionText(context: Context, decision: Decision): string {
  const { forStage, changes, kept, clamps, says, rejections, context: shown, proposal, scores } = decision;
  const who = whoText(decision);
  if (who === '' && changes.length === 0 && rejections.length === 0) return '';
  const lines = [
    ...(says === null ? [] : [`"${says}"`]),
    ...changes.map((one) => {
      const steps = one.steps === null ? '' : ` (${stepsText(one.steps)})`;
      return `${one.knob} ${turnText(one)}${steps}${reasonText(one)}`;
    }),
    ...(changes.length === 0 && forStage > 1 ? ['nothing changes'] : []),
    ...(kept ?? []).map((one) => `${one.knob} kept${reasonText(one)}`),
    ...clamps.map(
      (one) =>
        `${one.knob} clamped: ${knobText(one.proposed)} was proposed, ${knobText(one.used)} is used (${one.rule})`,
    ),
    ...rejections.flatMap(({ event, engineer, reason, issues }) => [
      `an answer of ${engineer} was rejected as ${reason}: icecore event ${event}`,
      ...issues.map(({ field, found, allowed }) => `  ${field}: found ${found}, allowed: ${allowed}`),
    ]),
    ...(shown === null
      ? []
      : [`shown: ${shown.form === null ? '' : `${shown.form}, `}context ${shortDigest(shown.digest)}`]),
    ...(proposal === null ? [] : [`proposal: ${proposal}`]),
    ...(scores === null ? [] : [scoresText(scores)]),
  ];
  const title = `decided by ${who === '' ? 'nobody that is recorded' : who}`;
  return section(context, visible(title), lines.map(visible)) + predictionsText(context, decision);
}

/** What is left out is said to be. */
function reasonText({ because, says }: Pick<Decision['changes'][number], 'because' | 'says'>): string {
  const cited = because === null || because.length === 0 ? 'cites nothing' : `because ${because.join(', ')}`;
  return `, ${cited}${says === null ? '' : `: ${says}`}`;
}

function scoresText(scores: NonNullable<Decision['scores']>): string {
  const { grounded, preserving, valid, brier, rankCorrelation } = scores;
  const named = { grounded, preserving, valid, brier, 'rank correlation': rankCorrelation };
  const known = Object.entries(named).flatMap(([name, value]) =>
    value === null ? [] : [`${name} ${short(Number(value.toPrecision(3)))}`],
  );
  return `scores: ${known.length === 0 ? 'none' : known.join(', ')}`;
}

function predictionsText({ io }: Context, { predictions, forStage }: Decision): string {
  if (predictions === null || predictions.length === 0) return '';
  const rows = predictions.map(({ group, measure, predicted, came, split }) => [
    `  ${visible(group)}`,
    visible(measure),
    percent(predicted),
    rateText(came),
    split ?? '',
  ]);
  const columns = [
    { title: '  group' },
    { title: 'measure' },
    { title: 'predicted', align: 'right' as const },
    { title: `after stage ${forStage - 1}`, align: 'right' as const },
    { title: 'in' },
  ];
  return table(columns, rows, io.stdout);
}

const digest = /^[0-9a-f]{64}$/;

/** So much tells digests apart; what is none stays as it is. */
function shortDigest(reference: string): string {
  return digest.test(reference) ? reference.slice(0, 12) : reference;
}

const sparkColumns = 40;

function trainingText({ io, paint }: Context, { training }: StageShown): string {
  if (training === null) return '';
  const spent = training.spent === null ? '' : `  spent ${visible(amountsText(training.spent))}\n`;
  const curves = training.curve
    .filter(({ values }) => values.length > 0)
    .map(({ measure, values }) => {
      const ends = `${short(rounded(values[0]))} → ${short(rounded(values.at(-1)))}`;
      return [`  ${visible(measure)}`, sparkline(values, sparkColumns), ends];
    });
  const signals = training.signal.map(({ group, share, entropy, kl }) => [
    `  ${visible(group ?? 'all')}`,
    percent(share),
    entropy === null ? '' : short(rounded(entropy)),
    kl === null ? '' : short(rounded(kl)),
  ]);
  const right = { align: 'right' } as const;
  const signalColumns = [
    { title: '  group' },
    { title: 'signal %', ...right },
    { title: 'entropy', ...right },
    { title: 'kl', ...right },
  ];
  return (
    spent +
    (curves.length === 0
      ? ''
      : table([{ title: '' }, { title: '', paint: paint.green }, { title: '' }], curves, io.stdout)) +
    (signals.length === 0 ? '' : table(signalColumns, signals, io.stdout))
  );
}

function rounded(value: number | undefined): number {
  return Number((value ?? 0).toPrecision(3));
}

const rates = ['valid', 'optimal'];

function evaluationText(
  context: Context,
  { suite, split, rollouts, results }: StageShown['evaluations'][number],
): string {
  const measures = [...new Set(results.map(({ measure }) => measure))];
  const groups = [...new Set(results.map(({ group }) => group))];
  const rows = groups.map((group) => [
    `  ${visible(group ?? 'all')}`,
    ...measures.map((measure) => {
      const found = results.find((one) => one.group === group && one.measure === measure);
      if (found === undefined) return '';
      if (rates.includes(measure)) return rateText(found);
      return found.value === null ? '' : short(rounded(found.value));
    }),
  ]);
  const columns = ['  group', ...measures.map(visible)].map((title, i) => ({
    title,
    align: i === 0 ? ('left' as const) : ('right' as const),
  }));
  const where = suite === split ? suite : `${suite} (${split})`;
  return titled(
    context,
    `${visible(where)}, ${count(rollouts)} rollouts`,
    rows.length === 0 ? '' : table(columns, rows, context.io.stdout),
  );
}

function failuresText({ io }: Context, { failuresByGroup }: StageShown): string {
  const rows = failuresByGroup.map(({ group, class: name, count: times, of }) => [
    `  ${visible(group ?? 'all')}`,
    visible(name),
    times === null ? '' : count(times),
    of === null ? '' : count(of),
    times === null || of === null || of === 0 ? '' : percent(times / of),
  ]);
  if (rows.length === 0) return '';
  const right = { align: 'right' } as const;
  const columns = [
    { title: '  group' },
    { title: 'class' },
    { title: 'count', ...right },
    { title: 'of', ...right },
    { title: '%', ...right },
  ];
  return table(columns, rows, io.stdout);
}

// One stage for the eye, in full: how it was set and why, what was learnt, how good the policy is and how it fails.
import type { StageShown } from '../../../schemas/run-output.ts';
import { isHidden } from '../../analysis/history/hidden.ts';
import { wordOf } from '../../producers/history/configurations.ts';
import type { Context } from '../context.ts';
import { count } from '../output/quantity.ts';
import { table } from '../output/table.ts';
import { visible } from '../output/visible.ts';
import { alertLines } from './alerts.ts';
import { decisionWhole } from './decision-whole.ts';
import { shortDigest } from './digest.ts';
import { knobText } from './figures.ts';
import { notesText, unknownText } from './notes-text.ts';
import { paragraph, section } from './section.ts';
import { failuresText, suitesText, trainingText, validationText } from './stage-figures.ts';

/** `leftOut`: a sentence on what is not shown; empty where everything is. */
export function stageText(context: Context, told: StageShown, leftOut: string): string {
  const { paint } = context;
  const state = `${told.isOver ? 'over' : `not over: ${reached(told)}`}${told.isShared ? ', shared history' : ''}`;
  const parts = [
    `${paint.bold(visible(`${told.name}@${told.stage}`))}  ${visible(state)}\n${factsText(context, told)}`,
    titled(context, 'configuration', knobsText(context, told.knobs)),
    decisionWhole(context, told.decision),
    titled(context, 'training', trainingText(context, told)),
    ...evaluationsText(context, told.evaluations),
    leftOut === '' ? '' : paragraph(context, leftOut),
    titled(context, `failures in ${visible(told.failuresFrom ?? '')}`, failuresText(context, told)),
    section(context, 'alerts', alertLines([told])),
    notesText(context, told.notes),
    unknownText(context, told.opaque),
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

/** A row a family where all families have the same few knobs. */
function knobsText({ io }: Context, knobs: StageShown['knobs']): string {
  const words = [...new Set(knobs.flatMap((one) => (one.family === null ? [] : [wordOf(one)])))];
  if (words.length > mostWords) {
    const rows = knobs.map(({ knob, value }) => [`  ${visible(knob)}`, knobText(value)]);
    return table([{ title: '  knob' }, { title: 'value', align: 'right' }], rows, io.stdout);
  }
  const families = [...new Set(knobs.flatMap(({ family }) => family ?? []))];
  const rows = families.map((family) => {
    const own = new Map(knobs.filter((one) => one.family === family).map((one) => [wordOf(one), one.value]));
    return [`  ${visible(family)}`, ...words.map((word) => (own.has(word) ? knobText(own.get(word) ?? null) : ''))];
  });
  const columns = ['  family', ...words.map(visible)].map((title, i) => ({
    title,
    align: i === 0 ? ('left' as const) : ('right' as const),
  }));
  const common = knobs.filter(({ family }) => family === null);
  const alone = common.map(({ knob, value }) => `  ${visible(knob)} ${knobText(value)}\n`).join('');
  return (rows.length === 0 ? '' : table(columns, rows, io.stdout)) + alone;
}

function evaluationsText(context: Context, evaluations: StageShown['evaluations']): readonly string[] {
  const others = evaluations.filter(isHidden);
  const isKnown = others.some(({ results }) => results.some(({ measure }) => measure === 'optimal'));
  const measures = isKnown ? 'valid / optimal' : 'valid';
  return [
    ...evaluations
      .filter((one) => !isHidden(one))
      .map((one) =>
        titled(context, `${visible(one.suite)}, ${count(one.rollouts)} rollouts, %`, validationText(context, one)),
      ),
    titled(context, `what no engineer is shown, ${measures} in %`, suitesText(context, others)),
  ];
}

// The changes of a decision: each change with its reason, its cited evidence and the results of its family; drawings of the
// cited rollouts; and predictions next to results.
import type { DrawnFailure, Report, StoryEntry } from '../../../schemas/report-output.ts';
import type { Decision } from '../../../schemas/run-output.ts';
import type { WhyChange, WhyEvidence, WhyExemplar } from '../../../schemas/why-output.ts';
import { capital, numberWords, percent, rateWords } from '../../../web/charts/words.ts';
import { counted } from '../../base/quantity.ts';
import {
  type Block,
  code,
  type Drawing,
  drawing,
  marked,
  paragraph,
  quiet,
  strong,
  table,
  type Words,
} from '../../document/document.ts';
import { courseWords, familyWords, figureWords, stepsWords, turnWords } from './words.ts';

/** Knobs of one family with the same reason share a row. */
export function changeRecords(entry: StoryEntry): Block {
  const said = new Set<string | null>();
  const lots = Map.groupBy(entry.changes, ({ family, says, cites }) => JSON.stringify([family, says, cites]));
  const rows = Array.from(lots.values(), (lot): readonly (readonly Words[])[] => {
    const [first] = lot;
    const family = first?.family ?? null;
    const isNew = !said.has(family);
    said.add(family);
    return [
      lot.map(changeWords),
      [first?.says == null ? [quiet('none given')] : [`“${first.says}”`]],
      first === undefined ? [] : evidenceLines(first),
      isNew ? effectLines(entry, family) : [[quiet('as above')]],
    ];
  });
  return { kind: 'records', fields: ['change', 'reason', 'evidence', 'afterwards'], rows };
}

function changeWords({ knob, from, to, steps, makes, clamps }: WhyChange): Words {
  const beside = [steps === null ? '' : stepsWords(steps), makes ?? ''].filter((word) => word !== '');
  const clamped = clamps.map(({ proposed, used, rule }) =>
    marked('warning', ` clamped: ${numberWords(proposed)} was proposed, ${numberWords(used)} is used (${rule})`),
  );
  const turn = ` ${turnWords({ from, to })}`;
  return [strong(knob), turn, ...(beside.length === 0 ? [] : [quiet(` (${beside.join(', ')})`)]), ...clamped];
}

const mostCited = 5;

function evidenceLines({ evidence, verdict, restsOn }: WhyChange): readonly Words[] {
  const lines = evidence.slice(0, mostCited).map(evidenceWords);
  const more = evidence.length > mostCited ? [[quiet(`and ${evidence.length - mostCited} more evidence ids`)]] : [];
  const isSound = restsOn === 'its family' && verdict.startsWith('rests');
  return [...lines, ...more, ...(isSound && lines.length > 0 ? [] : [[marked('warning', capital(verdict))]])];
}

function evidenceWords(one: WhyEvidence): Words {
  const meaning = one.figure === null ? rolloutWords(one) : ` ${figureWords(one.evidenceId, one.figure)}`;
  const strange = one.concerns === 'another family' ? [marked('warning', `, of ${familyWords(one.family)}`)] : [];
  const missing: Words = one.note === null ? [] : [marked('warning', ` ${one.note}`)];
  return [code(one.evidenceId), meaning, ...strange, ...missing];
}

function rolloutWords({ exemplars, family, text }: WhyEvidence): string {
  if (exemplars.length > 0) return ` a rollout${family === null ? '' : ` of family ${family}`} (see the drawing)`;
  const [line = ''] = (text ?? '').split('\n');
  return line === '' ? '' : ` ${line}`;
}

function effectLines({ effects }: StoryEntry, family: string | null): readonly Words[] {
  const effect = effects.find((one) => one.family === family);
  if (effect === undefined) return [[quiet('not measured')]];
  const whose = family === null ? 'All families' : `Family ${family}`;
  return [
    [`${whose}: `, ...courseWords(effect.validation)],
    ...(effect.signal.gain === null ? [] : [['Learning signal: ', ...courseWords(effect.signal, 'unjudged')]]),
  ];
}

type Replay = NonNullable<Report['replay']>;
type Predicted = NonNullable<Decision['predictions']>[number];

interface KnownPrediction extends Predicted {
  readonly value: number;
}

/** `leftOut`: scores would reveal the hidden results, too. */
export function predictionBlocks({ predictions, scores, stage }: Decision, leftOut: boolean): readonly Block[] {
  if (predictions === null || predictions.length === 0) return [];
  const made = `It predicted ${counted(predictions.length, 'rate')} of the policy trained in stage ${stage - 1}`;
  const measured = predictions.flatMap((one): KnownPrediction[] =>
    one.came.value === null ? [] : [{ ...one, value: one.came.value }],
  );
  const splits = [...new Set(measured.map(({ split }) => split ?? 'what was recorded'))].join(' and ');
  return [
    measured.length === 0
      ? paragraph(`${made}; ${leftOut ? 'the results are left out' : 'there are no results to compare them with'}.`)
      : paragraph(
          `${made}. Compared with ${splits} results: ${errorWords(measured)}.`,
          quiet(leftOut ? '' : scoreWords(scores)),
        ),
    predictionTable(predictions, leftOut),
  ];
}

function errorWords(measured: readonly KnownPrediction[]): string {
  const errors = measured.map((one) => ({ one, error: Math.abs(one.predicted - one.value) }));
  const mean = errors.reduce((sum, { error }) => sum + error, 0) / errors.length;
  const worst = errors.reduce((most, next) => (next.error > most.error ? next : most)).one;
  const known = measured.filter(({ came }) => came.low !== null && came.high !== null);
  const within = known.filter(
    ({ predicted, came }) => predicted >= (came.low ?? 1) && predicted <= (came.high ?? 0),
  ).length;
  const inside = known.length === 0 ? '' : `${within} of ${known.length} within the intervals; `;
  const gap = `${(100 * mean).toFixed(1)}\u00a0points`;
  const example = `family ${worst.family}: ${worst.measure} ${percent(worst.predicted)} predicted, ${rateWords(worst.came)} measured`;
  if (measured.length === 1) return `${inside}${example}`;
  return `${inside}mean error ${gap}${mean === 0 ? '' : `, largest in ${example}`}`;
}

function scoreWords(scores: Decision['scores']): string {
  const known = [
    ...(scores?.brier == null ? [] : [`Brier score ${numberWords(scores.brier)}`]),
    ...(scores?.rankCorrelation == null ? [] : [`rank correlation ${numberWords(scores.rankCorrelation)}`]),
  ];
  return known.length === 0 ? '' : ` ${known.join(', ')}.`;
}

function predictionTable(predictions: readonly Predicted[], leftOut: boolean): Block {
  const came = ({ came: rate }: Predicted): string =>
    rate.value !== null ? rateWords(rate) : leftOut ? 'left out' : 'not recorded';
  return table(
    predictions,
    [
      { title: 'family', cell: ({ family }) => family },
      { title: 'measure', cell: ({ measure }) => measure },
      { title: 'predicted', cell: ({ predicted }) => percent(predicted) },
      { title: 'measured', cell: came },
      { title: 'split', cell: ({ split }) => split ?? '' },
    ],
    { caption: 'Predictions and results', isFolded: true },
  );
}

const mostDrawings = 3;

/** The rollouts cited by a decision; each is drawn at its first citation. */
export function newExemplars(entry: StoryEntry, story: readonly StoryEntry[]): readonly WhyExemplar[] {
  const earlier = new Set(
    story
      .filter(({ stage }) => stage < entry.stage)
      .flatMap(({ exemplars }) => exemplars.map(({ rollout }) => rollout.event)),
  );
  return entry.exemplars
    .filter(({ drawing: drawn, rollout }) => drawn !== null && !earlier.has(rollout.event))
    .slice(0, mostDrawings);
}

/** The replay first: the failure before the change, and its solution after it. */
export function drawingBlocks(entry: StoryEntry, report: Report): readonly Block[] {
  const replay = report.replay?.stage === entry.stage ? report.replay : null;
  const isReplayed = ({ rollout }: WhyExemplar): boolean => rollout.event === replay?.failed;
  const exemplars = newExemplars(entry, report.story);
  return [
    ...exemplars.filter(isReplayed).map((one) => exemplarDrawing(one, report)),
    ...(replay === null ? [] : [solvedDrawing(replay, report)]),
    ...exemplars.filter((one) => !isReplayed(one)).map((one) => exemplarDrawing(one, report)),
  ];
}

/** The pictures of a rollout, if its environment drew it. */
function picturesFor(event: string, { pictures }: Report): Pick<Drawing, 'svg' | 'animation'> {
  const found = pictures.find(({ rollout }) => rollout === event);
  if (found === undefined) return {};
  return found.animation === null ? { svg: found.svg } : { svg: found.svg, animation: found.animation };
}

function exemplarDrawing(exemplar: WhyExemplar, report: Report): Block {
  const { evidenceId, family, class: failureClass, says, drawing: drawn, rollout, failures, stage } = exemplar;
  const step = failures[0]?.step ?? null;
  const how = [failureClass ?? 'a failure', step === null ? '' : ` in step ${step}`].join('');
  const whose = family === null ? '' : `, family ${family}`;
  return drawing({
    title: [code(evidenceId), ` ${how}${whose}${stage === null ? '' : `, stage ${stage}`}`],
    caption: says === null || drawn?.includes(says) === true ? null : says,
    drawing: drawn ?? '',
    source: `rollout ${rollout.stream === null ? rollout.event : `${rollout.stream}@${rollout.revision}`}`,
    ...picturesFor(rollout.event, report),
  });
}

function solvedDrawing({ stage, family, isSameTask, solved, drawing: drawn }: Replay, report: Report): Block {
  const task = isSameTask ? 'The same task' : 'Another task of this family';
  return drawing({
    title: `${task} after stage ${stage}: solved, family ${family}`,
    caption: null,
    drawing: drawn,
    source: `rollout ${solved}`,
    ...picturesFor(solved, report),
  });
}

export function failureDrawing(failure: DrawnFailure, report: Report): Block {
  const { evidenceId, family, class: failureClass, says, drawing: drawn, rollout } = failure;
  const { animation: _, ...still } = picturesFor(rollout, report);
  return drawing({
    title: [code(evidenceId), ` ${failureClass ?? 'a failure'}, ${familyWords(family)}`],
    caption: says === null || drawn.includes(says) ? null : says,
    drawing: drawn,
    source: `rollout ${rollout}`,
    ...still,
  });
}

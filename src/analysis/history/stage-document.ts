// One stage in full, as a document: its configuration and the reasons for it, its training, and for each family how good the policy
// is and how it fails.
import type { StageShown } from '../../../schemas/run-output.ts';
import { amountsText, count } from '../../base/quantity.ts';
import { sparkline } from '../../document/curve.ts';
import {
  type Block,
  type ColumnOf,
  type Document,
  facts,
  filled,
  lines,
  type Section,
  section,
  table,
} from '../../document/document.ts';
import { isShare, knobText, percent, rateText, shortDigest, threeDigits } from '../../document/figures.ts';
import { wordOf } from '../../producers/history/configurations.ts';
import { areOfFailures } from './failure-shares.ts';
import { isHidden } from './hidden.ts';
import { alertsSection, decisionSections, lastSections } from './run-document.ts';

/** `leftOut`: a sentence on what is not shown; empty where everything is. */
export function stageDocument(stage: StageShown, leftOut: string): Document {
  const { run, name, configuration, checkpoint, seed } = stage;
  return {
    title: `${name}@${stage.stage}`,
    subtitle: `stage ${stage.isOver ? 'complete' : `not complete: ${reachedText(stage)}`}${stage.isShared ? ', shared history' : ''}`,
    blocks: [
      facts([
        ['run', run === name ? null : run],
        ['configuration', configuration === null ? null : shortDigest(configuration)],
        ['checkpoint', checkpoint === null ? null : shortDigest(checkpoint)],
        ['seed', seed === null ? null : String(seed)],
      ]),
    ],
    sections: filled([
      section('configuration', knobsBlocks(stage.knobs)),
      ...decisionSections(stage.decision),
      section('training', trainingBlocks(stage)),
      ...evaluationSections(stage.evaluations),
      section(`failures in ${stage.failuresFrom ?? ''}`, failuresBlocks(stage)),
      alertsSection([stage]),
      ...lastSections(stage, leftOut),
    ]),
  };
}

function reachedText({ recorded }: StageShown): string {
  return recorded.length === 0 ? 'nothing is recorded yet' : `recorded ${recorded.join(', ')}`;
}

/** More columns than these do not fit a terminal: knobs are listed instead. */
const mostWords = 6;

/** One row per family, if families share a few knobs. */
function knobsBlocks(knobs: StageShown['knobs']): readonly Block[] {
  const words = [...new Set(knobs.flatMap((one) => (one.family === null ? [] : [wordOf(one)])))];
  if (words.length > mostWords) {
    return [
      table(knobs, [
        { title: 'knob', cell: ({ knob }) => knob },
        { title: 'value', align: 'right', cell: ({ value }) => knobText(value) },
      ]),
    ];
  }
  const families = [...new Set(knobs.flatMap(({ family }) => family ?? []))];
  const valueIn = (family: string, word: string): string => {
    const found = knobs.find((one) => one.family === family && wordOf(one) === word);
    return found === undefined ? '' : knobText(found.value);
  };
  const family: ColumnOf<string> = { title: 'family', cell: (name) => name };
  const columns = words.map((word): ColumnOf<string> => {
    return { title: word, align: 'right', cell: (name) => valueIn(name, word) };
  });
  const common = knobs.filter(({ family }) => family === null).map(({ knob, value }) => `${knob} ${knobText(value)}`);
  return [
    ...(families.length === 0 ? [] : [table(families, [family, ...columns])]),
    ...(common.length === 0 ? [] : [lines(common)]),
  ];
}

const sparkColumns = 40;
const familySparkColumns = 24;

/** Curves over all families; those of single families are in the table of families. */
function trainingBlocks({ training }: StageShown): readonly Block[] {
  if (training === null) return [];
  const { spent, signal, curve } = training;
  const families = new Set(signal.flatMap(({ family }) => family ?? []));
  const isOfFamily = (measure: string): boolean =>
    measure.includes('/') && families.has(measure.slice(measure.indexOf('/') + 1));
  const curves = curve.filter(({ measure, values }) => values.length > 0 && !isOfFamily(measure));
  return [
    ...(spent === null ? [] : [lines([`spent ${amountsText(spent)}`])]),
    ...(curves.length === 0 ? [] : [curvesTable(curves)]),
    ...(signal.length === 0 ? [] : [signalTable(signal, curve)]),
  ];
}

type Training = NonNullable<StageShown['training']>;

function curvesTable(curves: Training['curve']): Block {
  const endsText = (values: readonly number[]): string =>
    `${threeDigits(values[0] ?? 0)} → ${threeDigits(values.at(-1) ?? 0)}`;
  return table(curves, [
    { title: '', cell: ({ measure }) => measure },
    { title: '', mark: 'bars', cell: ({ values }) => sparkline(values, sparkColumns) },
    { title: '', cell: ({ values }) => endsText(values) },
  ]);
}

function signalTable(signal: Training['signal'], curve: Training['curve']): Block {
  const course = (family: string | null): string => {
    const name = family === null ? 'valid' : `valid/${family}`;
    return sparkline(curve.find(({ measure }) => measure === name)?.values ?? [], familySparkColumns);
  };
  return table(signal, [
    { title: 'family', cell: ({ family }) => family ?? 'all' },
    { title: 'signal %', align: 'right', cell: ({ share }) => percent(share) },
    { title: 'entropy', align: 'right', cell: ({ entropy }) => numberText(entropy) },
    { title: 'kl', align: 'right', cell: ({ kl }) => numberText(kl) },
    { title: 'valid during training', mark: 'bars', cell: ({ family }) => course(family) },
  ]);
}

function numberText(value: number | null): string {
  return value === null ? '' : threeDigits(value);
}

type Evaluation = StageShown['evaluations'][number];

function evaluationSections(evaluations: readonly Evaluation[]): readonly Section[] {
  const others = evaluations.filter(isHidden);
  const isKnown = others.some(({ results }) => results.some(({ measure }) => measure === 'optimal'));
  const measures = isKnown ? 'valid / optimal' : 'valid';
  return [
    ...evaluations
      .filter((one) => !isHidden(one))
      .map((one) => section(`${one.suite}, ${count(one.rollouts)} rollouts, %`, validationBlocks(one))),
    section(`benchmarks and hidden probes, ${measures} in %; engineers never see them`, suitesBlocks(others)),
  ];
}

/** All measures of the validation suite. */
function validationBlocks({ results }: Evaluation): readonly Block[] {
  const measures = [...new Set(results.map(({ measure }) => measure))];
  return familyTable(results, measures, (family, measure) => {
    const found = results.find((one) => one.family === family && one.measure === measure);
    if (found === undefined) return '';
    return isShare(measure) ? rateText(found) : numberText(found.value);
  });
}

/** Other suites side by side, so that they can be compared. */
function suitesBlocks(evaluations: readonly Evaluation[]): readonly Block[] {
  const all = evaluations.flatMap(({ results }) => results);
  return familyTable(
    all,
    evaluations.map(({ suite }) => suite),
    (family, _, i) =>
      ['valid', 'optimal']
        .map((measure) => {
          const found = evaluations[i]?.results.find((one) => one.family === family && one.measure === measure);
          return percent(found?.value ?? null);
        })
        .filter(Boolean)
        .join(' / '),
  );
}

function familyTable(
  results: Evaluation['results'],
  titles: readonly string[],
  cell: (family: string | null, title: string, i: number) => string,
): readonly Block[] {
  const families = [...new Set(results.map(({ family }) => family))];
  if (families.length === 0) return [];
  const columns = titles.map((title, i): ColumnOf<string | null> => {
    return { title, align: 'right', cell: (family) => cell(family, title, i) };
  });
  return [table(families, [{ title: 'family', cell: (family) => family ?? 'all' }, ...columns])];
}

/** One row per family, with shares of its tries or of its failures. */
function failuresBlocks({ failuresByFamily }: StageShown): readonly Block[] {
  const families = [...Map.groupBy(failuresByFamily, ({ family }) => family)];
  if (families.length === 0) return [];
  const triesOf = (own: StageShown['failuresByFamily']): number | null => own.find(({ of }) => of !== null)?.of ?? null;
  return [
    table(families, [
      { title: 'family', cell: ([family]) => family ?? 'all' },
      {
        title: areOfFailures(failuresByFamily) ? 'failed' : 'tries',
        align: 'right',
        cell: ([, own]) => {
          const tries = triesOf(own);
          return tries === null ? '' : count(tries);
        },
      },
      { title: '% of them', wraps: true, cell: ([, own]) => own.map(failureText).join(', ') },
    ]),
  ];
}

function failureText({ class: name, count: times, of }: StageShown['failuresByFamily'][number]): string {
  if (times === null) return name;
  return `${name} ${of === null || of === 0 ? `${count(times)} times` : percent(times / of)}`;
}

// How each arm came out and how it compares with the reference; then the other contrasts, and the other measures.

import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { canUseNothing } from '../../../../schemas/arm-names.ts';
import { type ArmInterval, type IntervalsData, intervalsChart } from '../../../../web/charts/matrix-intervals.ts';
import {
  bestFirst,
  type Comparison,
  isOfArms,
  type Measure,
  type Standing,
  type Standings,
  significance,
} from '../../../../web/charts/standings.ts';
import {
  type ColumnOf,
  chart,
  filled,
  longestName,
  marked,
  note,
  type Section,
  section,
  type Text,
  table,
} from '../../../document/document.ts';
import { chanceText } from '../../../document/figures.ts';
import { numberIn } from '../../../producers/history/figures.ts';
import {
  correctionLegend,
  differenceText,
  figureText,
  meanText,
  resultTitle,
  seedsLegend,
  signedText,
  titleOf,
  unvariedLegend,
  verdictText,
} from './figures.ts';

const right = { align: 'right' } as const;

export function armsSection(ablated: Ablated, standings: Standings): Section {
  const { measure, reference, arms } = standings;
  const whole = bestFirst(standings).filter(({ isErrored }) => !isErrored);
  const valued = whole.filter(({ mean, against }) => mean !== null || against !== null);
  // Arms without a value and without a comparison are named below the matrix.
  const ranked = valued.length === 0 ? whole : valued;
  const isOrdered = arms.some(({ mean }) => mean !== null);
  const heading = reference === null ? 'Arms' : `Arms against ${reference}`;
  const intervals = intervalsIn(standings);
  const drawn = intervals === null ? null : intervalsChart(intervals);
  const blocks = [
    ...(drawn === null ? [] : [chart(drawn, [])]),
    table(
      ranked,
      [
        { title: 'arm', mark: 'strong', limit: longestName, cell: ({ arm }) => arm },
        {
          title: measure.is === 'share' ? 'mean %' : 'mean',
          ...right,
          cell: (one) => meanText(measure, one.mean, one),
        },
        { title: 'against', ...right, cell: ({ arm, against }) => againstText(arm, against, standings) },
        { title: 'p', ...right, cell: ({ against }) => chanceOf(against) },
        {
          title: resultTitle(ranked.map(({ against }) => against)),
          cell: (one) => verdictCell(verdictOf(one, standings)),
        },
        // The number of seeds, if some arms have a value in only a part of them.
        { title: 'seeds', ...right, cell: ({ units }) => (hasUneven(ranked, ablated) ? String(units) : '') },
      ],
      { repeats: true },
    ),
    note(legend(ranked, standings, ablated)),
  ];
  return section(isOrdered ? `${heading}, by ${measure.measure}` : heading, blocks, {
    sections: filled([...otherContrasts(ablated, standings), otherMeasures(ablated, measure)]),
  });
}

function againstText(arm: string, against: Comparison | null, { measure, reference }: Standings): string {
  if (arm === reference) return 'reference';
  return against === null ? '' : differenceText(measure, numberIn(against.difference), against);
}

/** p after correction; a single declared contrast needs none. */
function chanceOf(against: Comparison | null): string {
  return against === null ? '' : chanceText(numberIn(against.adjusted ?? against.p));
}

function verdictOf({ against }: Standing, { measure }: Standings): string {
  return against === null ? '' : verdictText(against, measure);
}

function verdictCell(verdict: string): Text {
  if (verdict.startsWith('better')) return [marked('good', verdict)];
  return [marked(verdict.startsWith('worse') ? 'bad' : 'quiet', verdict)];
}

function hasUneven(ranked: readonly Standing[], { units }: Ablated): boolean {
  return ranked.some((one) => one.units > 0 && one.units < units.length);
}

function legend(ranked: readonly Standing[], standings: Standings, ablated: Ablated): string {
  const { level, units } = ablated;
  const { measure } = standings;
  const verdicts = ranked.map((one) => verdictOf(one, standings).split(' ')[0]);
  const hasDifference = ranked.some(({ against }) => numberIn(against?.difference) !== null);
  const hasIntervals = ranked.some(({ against }) => against?.low !== undefined);
  const percent = Number((100 * level).toFixed(3));
  const isShare = measure.is === 'share';
  return [
    'Sorted by mean: adjacent arms may differ by chance.',
    ...(hasDifference
      ? [
          `against: the difference${isShare ? ' in points' : ''}, paired by seed${hasIntervals ? `, with a ${percent} % interval` : ''}.`,
        ]
      : []),
    ...unvariedLegend(ranked.map(({ against }) => against)),
    ...correctionLegend(
      ranked.map(({ against }) => against),
      ablated,
    ),
    ...(ablated.comparisons.some(({ declared }) => declared)
      ? [`*: the declared or default contrast, ${correctionOf(ablated)}.`]
      : []),
    ...(verdicts.includes('inconclusive') ? ['inconclusive does not mean equivalent.'] : []),
    ...(verdicts.includes('same') ? ['same: both arms decided the same, so there is nothing to test.'] : []),
    ...(verdicts.includes('null') ? ['null: the engineer cannot use what differs, so there is nothing to test.'] : []),
    ...seedsLegend(ranked.map(({ against }) => against)),
    ...(hasUneven(ranked, ablated) ? [`seeds: those with a value, of ${units.length}.`] : []),
  ].join(' ');
}

function correctionOf({ comparisons }: Ablated): string {
  const tested = comparisons.filter(({ declared, p }) => declared && p !== undefined).length;
  return tested > 1 ? `corrected for ${tested} declared contrasts` : 'not corrected';
}

/** Main effects, effects of a factorial, and contrasts between arms that are no reference. */
function otherContrasts(ablated: Ablated, { measure, reference }: Standings): readonly Section[] {
  const own = ablated.comparisons.filter((one) => one.measure === measure.measure);
  const effects = own.filter((one) => one.factor === undefined && !isOfArms(ablated, one));
  const mainEffects = (factor: Comparison['factor']) => own.filter((one) => one.factor === factor);
  const others = own.filter((one) => isOfArms(ablated, one) && one.reference !== reference);
  const sectionOf = (title: string, contrasts: readonly Comparison[], isEffect = false): Section =>
    contrastsSection(title, contrasts, { ablated, measure, isEffect });
  return [
    sectionOf('Main effects of the engineer, over all contexts', mainEffects('engineer')),
    sectionOf('Main effects of the context, over all engineers', mainEffects('context')),
    sectionOf('Average effects: with the module minus without it', effects, true),
    sectionOf('Other contrasts', others),
  ];
}

interface Contrasting {
  readonly ablated: Ablated;
  readonly measure: Measure;
  readonly isEffect: boolean;
}

function contrastsSection(
  title: string,
  contrasts: readonly Comparison[],
  { ablated, measure, isEffect }: Contrasting,
): Section {
  if (contrasts.length === 0) return section(title, []);
  const columns: readonly ColumnOf<Comparison>[] = [
    { title: '', mark: 'strong', limit: longestName, cell: ({ arm }) => arm },
    { title: 'against', limit: longestName, cell: (one) => (isEffect ? '' : one.reference) },
    {
      title: measure.is === 'share' ? `${measure.measure}, points` : measure.measure,
      ...right,
      cell: (one) => differenceText(measure, numberIn(one.difference), one),
    },
    { title: 'p', ...right, cell: chanceOf },
    { title: resultTitle(contrasts), cell: (one) => verdictCell(verdictText(one, measure)) },
  ];
  const legend = [...unvariedLegend(contrasts), ...correctionLegend(contrasts, ablated)];
  return section(title, [
    table(contrasts, columns, { repeats: true }),
    ...(legend.length === 0 ? [] : [note(legend.join(' '))]),
  ]);
}

/** The rate in the worst cells, by arm; null if no cells are recorded. */
function worstOf({ results }: Ablated, measure: Measure): ((arm: string) => string) | null {
  const worst = new Map(
    results
      .filter((one) => one.measure === measure.measure && one.statistic === 'p10')
      .map(({ arm, value }) => [arm, numberIn(value)]),
  );
  return worst.size === 0 ? null : (arm) => figureText(measure, worst.get(arm) ?? null);
}

/** Arms are not compared on the test split if they are compared on validation. */
function reportedText({ split }: Measure, shown: Measure): string {
  return split === 'test' && shown.split === 'validation' ? 'reported, not compared: ' : '';
}

/** Scores of decisions are in another table. */
const scores = ['citation', 'preservation', 'usable', 'brier', 'rank-correlation'];

function otherMeasures(ablated: Ablated, shown: Measure): Section {
  const meanOf = (arm: string, measure: Measure): string => {
    const found = ablated.results.find(
      (one) => one.arm === arm && one.measure === measure.measure && one.statistic === 'mean',
    );
    return found === undefined ? '' : meanText(measure, numberIn(found.value), found);
  };
  const errored = new Set(ablated.errored.map(({ arm }) => arm));
  const names = ablated.arms.flatMap((one) => (errored.has(one.arm) || canUseNothing(one) ? [] : [one.arm]));
  // Not every environment has every measure, such as the optimal rate.
  const others = ablated.measures.filter(
    (one) => one !== shown && !scores.includes(one.measure) && names.some((arm) => meanOf(arm, one) !== ''),
  );
  const worst = worstOf(ablated, shown);
  if (others.length === 0 && worst === null) return section(null, []);
  return section(null, [
    table(
      names,
      [
        { title: 'arm', mark: 'strong', limit: longestName, cell: (arm) => arm },
        ...(worst === null ? [] : [{ title: `worst ${titleOf(shown)}`, ...right, cell: worst }]),
        ...others.map(
          (measure): ColumnOf<string> => ({
            title: titleOf(measure),
            ...right,
            cell: (arm) => meanOf(arm, measure),
          }),
        ),
      ],
      { repeats: true },
    ),
    note(
      [
        ...(worst === null
          ? []
          : [`worst ${shown.measure}: rate on the worst tenth of the cells, which are kinds of tasks.`]),
        ...others.map((one) => `${one.measure}: ${reportedText(one, shown)}${one.says}.`),
      ].join(' '),
    ),
  ]);
}

function intervalsIn(standings: Standings): IntervalsData | null {
  const { measure, reference } = standings;
  const shown = bestFirst(standings);
  const arms = shown.flatMap((one): ArmInterval[] => {
    const value = numberIn(one.against?.difference);
    if (one.against === null || one.against.verdict === 'not-applicable' || value === null) return [];
    const { low = null, high = null } = one.against;
    const verdict = significance(one.against, measure);
    const figure = differenceText(measure, value, one.against);
    return [
      {
        ...{ arm: one.arm, value, low, high, figure },
        isSignificant: verdict !== null,
        isWorse: verdict === 'worse',
        says: `${one.arm}: ${figure}, ${verdictText(one.against, measure)}`,
      },
    ];
  });
  if (arms.length === 0 || reference === null) return null;
  const unit = measure.is === 'share' ? `points ${measure.measure}` : measure.measure;
  return {
    title: `Against ${reference}: differences in ${unit}, paired by seed`,
    caption: `Bars are intervals of the differences; filled dots differ significantly from ${reference}, the others are inconclusive or equivalent.`,
    unit: `${unit} against ${reference}`,
    arms,
    line: 0,
    tick: (value) => signedText(measure, value).replace(/\.0$/, ''),
    table: {
      columns: ['arm', unit, ''],
      rows: arms.map(({ arm, figure, says }) => [arm, figure, says.slice(says.lastIndexOf(', ') + 2)]),
    },
  };
}

// How each arm came out and how it stands against the one that all are held against; then the other contrasts, and the other
// measures.
import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { gap, longestName, note, type Part, table } from '../../output/page/page.ts';
import type { Paint } from '../../output/paint.ts';
import { chanceText, differenceText, figureText, type Measure, meanText, numberOf, titleOf } from './figures.ts';
import { bestFirst, type Comparison, isOfArms, type Standing, type Standings, verdictText } from './standing.ts';

const right = { align: 'right' } as const;

export function armsParts(ablated: Ablated, standings: Standings, paint: Paint): readonly Part[] {
  const { measure, reference, arms } = standings;
  const whole = bestFirst(standings).filter(({ isErrored }) => !isErrored);
  const valued = whole.filter(({ mean, against }) => mean !== null || against !== null);
  // Who has no value, and is held against nobody, has been named with the matrix.
  const ranked = valued.length === 0 ? whole : valued;
  const isOrdered = arms.some(({ mean }) => mean !== null);
  const heading = reference === null ? 'Arms' : `Arms against ${reference}`;
  return [
    { kind: 'heading', text: isOrdered ? `${heading}, by ${measure.measure}` : heading },
    table(
      [
        { title: 'arm', paint: paint.bold, most: longestName, cells: ranked.map(({ arm }) => arm) },
        {
          title: measure.is === 'share' ? 'mean %' : 'mean',
          ...right,
          cells: ranked.map((one) => meanText(measure, one.mean, one)),
        },
        { title: 'against', ...right, cells: ranked.map(({ arm, against }) => againstText(arm, against, standings)) },
        { title: 'p', ...right, cells: ranked.map(({ against }) => chanceOf(against)) },
        { title: '', paint: verdictPaint(paint), cells: ranked.map((one) => verdictOf(one, standings)) },
        { title: 'of', ...right, cells: unevenUnits(ranked, ablated) },
      ],
      { repeats: true, drawn: 'arms' },
    ),
    note(legend(ranked, standings, ablated)),
    ...otherContrasts(ablated, standings, paint),
    ...otherMeasures(ablated, measure, paint),
  ];
}

function againstText(arm: string, against: Comparison | null, { measure, reference }: Standings): string {
  if (arm === reference) return 'reference';
  return against === null ? '' : differenceText(measure, numberOf(against.difference), against);
}

/** A single declared contrast is not corrected; of all others p is after the correction. */
function chanceOf(against: Comparison | null): string {
  return against === null ? '' : chanceText(numberOf(against.adjusted ?? against.p));
}

function verdictOf({ against }: Standing, { measure }: Standings): string {
  return against === null ? '' : verdictText(against, measure);
}

function verdictPaint({ green, red, dim }: Paint): (text: string) => string {
  return (text) => {
    if (text.startsWith('better')) return green(text);
    return text.startsWith('worse') ? red(text) : dim(text);
  };
}

/** From how many seeds, where some have a value in fewer than all. */
function unevenUnits(ranked: readonly Standing[], ablated: Ablated): readonly string[] {
  const isUneven = hasUneven(ranked, ablated);
  return ranked.map((one) => (isUneven ? String(one.units) : ''));
}

function hasUneven(ranked: readonly Standing[], { units }: Ablated): boolean {
  return ranked.some((one) => one.units > 0 && one.units < units.length);
}

function legend(ranked: readonly Standing[], standings: Standings, ablated: Ablated): string {
  const { level, units } = ablated;
  const { measure } = standings;
  const verdicts = ranked.map((one) => verdictOf(one, standings).split(' ')[0]);
  const hasDifference = ranked.some(({ against }) => numberOf(against?.difference) !== null);
  const hasIntervals = ranked.some(({ against }) => against?.low !== undefined);
  const percent = Number((100 * level).toFixed(3));
  const isShare = measure.is === 'share';
  return [
    'Sorted by mean: adjacent arms may differ by chance.',
    ...(hasDifference
      ? [
          `against: the difference${isShare ? ' in points' : ''}, paired by seed${hasIntervals ? `, with its ${percent} % interval` : ''}.`,
        ]
      : []),
    ...(ranked.some(({ against }) => against?.p !== undefined) ? ['p: after Holm.'] : []),
    ...(ablated.comparisons.some(({ declared }) => declared) ? [`*: declared, and ${correctionOf(ablated)}.`] : []),
    ...(verdicts.includes('inconclusive') ? ['inconclusive: which is not equivalent.'] : []),
    ...(verdicts.includes('same') ? ['same: a null by construction, both decided the same and came to the same.'] : []),
    ...(verdicts.includes('null') ? ['null: by construction, its engineer cannot use what differs.'] : []),
    ...(ranked.some(({ against }) => against?.unitsNeeded !== undefined)
      ? ['~: about how many seeds would show a difference this large.']
      : []),
    ...(hasUneven(ranked, ablated) ? [`of: seeds with a value, of ${units.length}.`] : []),
  ].join(' ');
}

function correctionOf({ contrasts }: Ablated): string {
  return contrasts.length > 1 ? `corrected for ${contrasts.length} declared contrasts` : 'not corrected';
}

/** Main effects, effects of a factorial, and contrasts between arms that are no reference. */
function otherContrasts(ablated: Ablated, { measure, reference }: Standings, paint: Paint): readonly Part[] {
  const own = ablated.comparisons.filter((one) => one.measure === measure.measure);
  const effects = own.filter((one) => one.factor === undefined && !isOfArms(ablated, one));
  const mainEffects = (factor: Comparison['factor']) => own.filter((one) => one.factor === factor);
  const others = own.filter((one) => isOfArms(ablated, one) && one.reference !== reference);
  const plain = { measure, paint, isEffect: false };
  return [
    ...contrastsParts('Main effects of the engineer, over all contexts', mainEffects('engineer'), plain),
    ...contrastsParts('Main effects of the context, over all engineers', mainEffects('context'), plain),
    ...contrastsParts('Effects: with it less without it, on average', effects, { measure, paint, isEffect: true }),
    ...contrastsParts('Other contrasts', others, plain),
  ];
}

function contrastsParts(
  text: string,
  contrasts: readonly Comparison[],
  { measure, paint, isEffect }: { readonly measure: Measure; readonly paint: Paint; readonly isEffect: boolean },
): readonly Part[] {
  if (contrasts.length === 0) return [];
  return [
    gap,
    { kind: 'heading', text },
    table(
      [
        { title: '', paint: paint.bold, most: longestName, cells: contrasts.map(({ arm }) => arm) },
        { title: 'against', most: longestName, cells: contrasts.map((one) => (isEffect ? '' : one.reference)) },
        {
          title: measure.is === 'share' ? `${measure.measure}, points` : measure.measure,
          ...right,
          cells: contrasts.map((one) => differenceText(measure, numberOf(one.difference), one)),
        },
        { title: 'p', ...right, cells: contrasts.map(chanceOf) },
        { title: '', paint: verdictPaint(paint), cells: contrasts.map((one) => verdictText(one, measure)) },
      ],
      { repeats: true },
    ),
  ];
}

/** How bad the worst corners were, by arm; null where nobody recorded cells. */
function worstOf({ results }: Ablated, measure: Measure): ((arm: string) => string) | null {
  const worst = new Map(
    results
      .filter((one) => one.measure === measure.measure && one.statistic === 'p10')
      .map(({ arm, value }) => [arm, numberOf(value)]),
  );
  return worst.size === 0 ? null : (arm) => figureText(measure, worst.get(arm) ?? null);
}

/** What was not compared on only reports. */
function reportedText({ split }: Measure, shown: Measure): string {
  return split === 'test' && shown.split === 'validation' ? 'reported, not compared: ' : '';
}

/** Scores of what was decided have a table of their own. */
const scores = ['citation', 'preservation', 'usable', 'brier', 'rank-correlation'];

function otherMeasures(ablated: Ablated, shown: Measure, paint: Paint): readonly Part[] {
  const meanOf = (arm: string, measure: Measure): string => {
    const found = ablated.results.find(
      (one) => one.arm === arm && one.measure === measure.measure && one.statistic === 'mean',
    );
    return found === undefined ? '' : meanText(measure, numberOf(found.value), found);
  };
  const errored = new Set(ablated.errored.map(({ arm }) => arm));
  const names = ablated.arms.map(({ arm }) => arm).filter((arm) => !errored.has(arm));
  // Not every environment knows what could not be bettered: a measure without a value has no column, and needs no meaning.
  const others = ablated.measures.filter(
    (one) => one !== shown && !scores.includes(one.measure) && names.some((arm) => meanOf(arm, one) !== ''),
  );
  const worst = worstOf(ablated, shown);
  if (others.length === 0 && worst === null) return [];
  return [
    gap,
    table(
      [
        { title: 'arm', paint: paint.bold, most: longestName, cells: names },
        ...(worst === null ? [] : [{ title: `worst ${titleOf(shown)}`, ...right, cells: names.map(worst) }]),
        ...others.map((measure) => ({
          title: titleOf(measure),
          ...right,
          cells: names.map((arm) => meanOf(arm, measure)),
        })),
      ],
      { repeats: true },
    ),
    note(
      [
        ...(worst === null ? [] : [`worst ${shown.measure}: in the worst tenth of the cells.`]),
        ...others.map((one) => `${one.measure}: ${reportedText(one, shown)}${one.says}.`),
      ].join(' '),
    ),
  ];
}

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
  const valued = bestFirst(standings).filter(({ mean, against }) => mean !== null || against !== null);
  // Who has no value, and is held against nobody, has been named with the matrix.
  const ranked = valued.length === 0 ? bestFirst(standings) : valued;
  const isOrdered = arms.some(({ mean }) => mean !== null);
  const heading = reference === null ? 'Arms' : `Arms against ${reference}`;
  return [
    { kind: 'heading', text: isOrdered ? `${heading}, by ${measure.measure}` : heading },
    table(
      [
        { title: 'arm', paint: paint.bold, most: longestName, cells: ranked.map(({ arm }) => arm) },
        { title: titleOf(measure), ...right, cells: ranked.map((one) => meanText(measure, one.mean, one)) },
        { title: 'worst', ...right, cells: ranked.map(({ worst }) => figureText(measure, worst)) },
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

/** The primary contrast stands for itself; what is corrected is told corrected. */
function chanceOf(against: Comparison | null): string {
  return against === null ? '' : chanceText(numberOf(against.primary ? against.p : (against.adjusted ?? against.p)));
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
    'The best first: who is not told apart has no order.',
    ...(ranked.some(({ worst }) => worst !== null) ? ['worst: in the worst tenth of the cells.'] : []),
    ...(hasDifference
      ? [
          `against: the difference${isShare ? ' in points' : ''}, paired by seed${hasIntervals ? `, with its ${percent} % interval` : ''}.`,
        ]
      : []),
    ...(ranked.some(({ against }) => against?.p !== undefined) ? ['p: after Holm.'] : []),
    ...(ranked.some(({ against }) => against?.primary) ? ['*: declared beforehand, and not corrected.'] : []),
    ...(verdicts.includes('same') ? ['same: decided the same, and came to the same.'] : []),
    ...(verdicts.includes('open') ? ['open: not distinguished, which is not equal.'] : []),
    ...(verdicts.includes('n/a') ? ['n/a: its engineer cannot use what differs.'] : []),
    ...(ranked.some(({ against }) => against?.unitsNeeded !== undefined)
      ? ['~: about how many seeds would tell so much.']
      : []),
    ...(hasUneven(ranked, ablated) ? [`of: seeds with a value, of ${units.length}.`] : []),
  ].join(' ');
}

/** Between arms that are no reference, and effects of a factorial. */
function otherContrasts(ablated: Ablated, { measure, reference }: Standings, paint: Paint): readonly Part[] {
  const own = ablated.comparisons.filter((one) => one.measure === measure.measure);
  const effects = own.filter((one) => !isOfArms(ablated, one));
  const others = own.filter((one) => isOfArms(ablated, one) && one.against !== reference);
  return [
    ...contrastsParts('Effects: with it less without it, on average', effects, { measure, paint, isEffect: true }),
    ...contrastsParts('Other contrasts', others, { measure, paint, isEffect: false }),
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
        { title: 'against', most: longestName, cells: contrasts.map(({ against }) => (isEffect ? '' : against)) },
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

/** Scores of what was decided are told by themselves. */
const told = ['grounded', 'preserving', 'usable', 'brier', 'rank-correlation'];

function otherMeasures(ablated: Ablated, shown: Measure, paint: Paint): readonly Part[] {
  const others = ablated.measures.filter((one) => one !== shown && !told.includes(one.measure));
  if (others.length === 0) return [];
  const meanOf = (arm: string, measure: Measure): string => {
    const found = ablated.results.find(
      (one) => one.arm === arm && one.measure === measure.measure && one.statistic === 'mean',
    );
    return found === undefined ? '' : meanText(measure, numberOf(found.value), found);
  };
  const names = ablated.arms.map(({ arm }) => arm);
  return [
    gap,
    table(
      [
        { title: 'arm', paint: paint.bold, most: longestName, cells: names },
        ...others.map((measure) => ({
          title: titleOf(measure),
          ...right,
          cells: names.map((arm) => meanOf(arm, measure)),
        })),
      ],
      { repeats: true },
    ),
    note(others.map(({ measure, says }) => `${measure}: ${says}.`).join(' ')),
  ];
}

// An ablation in a screenful: what is significant, the best arms, and the command that would settle what is not.
// `ablationDocument` has the rest.
import type { Ablated } from '../../../../schemas/ablation-output.ts';
import {
  bestFirst,
  type Comparison,
  commonModules,
  isOfArms,
  type Measure,
  matrixOf,
  type Standing,
  type Standings,
  standingsOf,
} from '../../../../web/charts/standings.ts';
import { count, counted } from '../../../base/quantity.ts';
import {
  type Block,
  type ColumnOf,
  type Document,
  filled,
  longestName,
  note,
  paragraph,
  right,
  section,
  table,
  warning,
} from '../../../document/document.ts';
import { chanceText } from '../../../document/figures.ts';
import { alphaOf, fewestPairs } from '../../../lab/statistics/significance.ts';
import { numberIn } from '../../../producers/history/figures.ts';
import { saysNoneIsBest, sharedHistoryTexts } from '../statistics/conclusions.ts';
import { mainChangeText, sensitivityTable } from './decisions.ts';
import { armsText, historiesText, underWay } from './document.ts';
import {
  aroundLegend,
  contrastFamily,
  contrastText,
  correctionLegend,
  differenceText,
  hasBothKinds,
  meanText,
  resultTitle,
  seedsLegend,
  titleOf,
  unusedWords,
  unvariedLegend,
  verdictText,
} from './figures.ts';
import { settleBlocks } from './settle.ts';

export function ablationAnswer(ablated: Ablated): Document {
  const standings = standingsOf(ablated);
  const isOfOne = ablated.preset === 'sensitivity';
  const shown = isOfOne || standings === null ? [] : shownConclusions(ablated);
  const others = ablated.conclusions.length - shown.length;
  return {
    title: `${nameText(ablated)}: ${isOfOne || standings === null ? sensitivityText(ablated) : headline(ablated, standings)}`,
    blocks: [
      ...underWay(ablated),
      ...commonModules(ablated).map((text) => paragraph(text)),
      ...shown.map((text) => paragraph(text)),
      ...(isOfOne || standings === null ? [] : significantElsewhere(standings, ablated)).map((text) => paragraph(text)),
      ...erroredBlocks(ablated),
      ...reservations(ablated),
    ],
    sections: filled([
      section(null, [
        ...(isOfOne || standings === null ? sensitivityTable(ablated, mostArms) : armsBlocks(ablated, standings)),
        note(
          `${armsText(ablated)} ${isOfOne ? '' : `--verbose shows ${counted(others, 'more conclusion')}, all scores and all decisions.`}`.trim(),
        ),
      ]),
      section(null, settleBlocks(ablated)),
    ]),
  };
}

/** Without a name of its own, an ablation is known by its runs. */
function nameText({ name, ablation, histories }: Ablated): string {
  return name === null || name === ablation ? `Ablation of ${historiesText({ histories })}` : name;
}

const mostArms = 10;

function sensitivityText({ sensitivity }: Ablated): string {
  const left = sensitivity?.left ?? [];
  const moved = left.filter(({ changed, came }) => came !== 'proposed' || changed.length > 0);
  return `${count(moved.length)} of ${counted(left.length, 'thing')} left out changed the decision`;
}

/** `nothing significant (3 seeds; significance takes at least 6)` */
function headline(ablated: Ablated, { measure }: Standings): string {
  const { comparisons, units, level, depth } = ablated;
  const own = comparisons.filter((one) => one.measure === measure.measure);
  const significant = own.filter(({ verdict }) => verdict === 'significant');
  const tested = own.filter(({ p }) => p !== undefined).length;
  const seeds = counted(units.length, 'seed');
  if (depth === 'propose') return `decisions compared, nothing trained (${seeds})`;
  if (significant.length > 0)
    return `${count(significant.length)} of ${counted(tested, 'tested contrast')} significant, by ${measure.measure} (${seeds})`;
  const equivalent = own.filter(({ verdict }) => verdict === 'equivalent').length;
  const { least, most } = fewestSeeds(own, level);
  const needed =
    units.length < least
      ? `; significance takes at least ${least}${most > least ? `, for some contrasts ${most}` : ''}`
      : '';
  return `nothing significant${equivalent === 0 ? '' : `, ${counted(equivalent, 'contrast')} equivalent`} (${seeds}${needed})`;
}

/**
 * With which a declared contrast can be significant, or any other where none of these is tested, and with which all can: more where
 * several are corrected together. 0 where nothing is tested.
 */
function fewestSeeds(
  comparisons: readonly Comparison[],
  level: number,
): { readonly least: number; readonly most: number } {
  const open = comparisons.filter(({ verdict }) => verdict !== 'not-applicable');
  const families = Map.groupBy(open, contrastFamily);
  const declared = families.get('declared');
  const neededBy = ({ length }: readonly Comparison[]): number => fewestPairs(alphaOf(level) / length);
  const all = families.size === 0 ? [0] : [...families.values()].map(neededBy);
  return { least: declared === undefined ? Math.min(...all) : neededBy(declared), most: Math.max(...all) };
}

/**
 * The conclusions start with the declared contrasts; if nothing is trained, with a sentence for each engineer. Where nothing says which
 * arm is better, it is said which came out best, and what it would take.
 */
function shownConclusions({ arms, contrasts, conclusions, comparisons, depth, errored }: Ablated): readonly string[] {
  if (depth !== 'propose') {
    const declared = conclusions.slice(0, Math.min(contrasts.length, mostDeclared));
    const isOpen = comparisons.every(({ verdict }) => verdict !== 'significant');
    return [...declared, ...(isOpen ? conclusions.filter(saysNoneIsBest).slice(0, 1) : [])];
  }
  const ended = arms.filter(({ arm }) => errored.every((one) => one.arm !== arm));
  const { engineers, contexts, armAt } = matrixOf({ arms: ended });
  const several = engineers.filter((one) => contexts.filter((context) => armAt(context, one) !== null).length > 1);
  return conclusions.slice(0, Math.max(1, Math.min(several.length, mostEngineers)));
}

const mostDeclared = 2;
const mostEngineers = 4;

/** Intervals over seeds that share histories claim too much, and what is not recorded cannot be checked. */
function reservations({ units, unrecorded, depth }: Ablated): readonly Block[] {
  const runs = new Set(units.map(({ run }) => run)).size;
  const isNested = runs > 1 && runs < units.length && depth !== 'propose';
  const texts = [
    ...sharedHistoryTexts(units.length, runs),
    ...(isNested ? ['Where an effect differs from run to run, p is too small: take more runs, with a seed each.'] : []),
    ...sameSeedTexts(units),
    ...unrecorded,
  ];
  return texts.length === 0 ? [] : [warning(texts.join(' '))];
}

/** Runs that train with the same seeds may begin alike. */
function sameSeedTexts(units: Ablated['units']): readonly string[] {
  const runsOf = Map.groupBy(units, ({ seed }) => String(seed));
  const shared = [...runsOf.values()].filter((own) => new Set(own.map(({ run }) => run)).size > 1).length;
  return shared === 0
    ? []
    : [`${counted(shared, 'training seed')} in more than one run: what these runs share is taken to be independent.`];
}

const mostErrored = 2;

function erroredBlocks({ errored }: Ablated): readonly Block[] {
  const more = errored.length - mostErrored;
  return [
    ...errored.slice(0, mostErrored).map(({ arm, reason }) => warning(`Errored: ${arm}: ${reason}`)),
    ...(more > 0 ? [warning(`${counted(more, 'more errored arm')}: --verbose`)] : []),
  ];
}

function armsBlocks(ablated: Ablated, standings: Standings): readonly Block[] {
  const { measure, reference } = standings;
  const isTrained = ablated.depth !== 'propose';
  const whole = bestFirst(standings).filter(({ isErrored }) => !isErrored);
  // Where nothing is trained, only arms that were shown something have anything to compare.
  const asked = isTrained ? whole : whole.filter(({ arm, mean }) => mean !== null || isAsked(arm, ablated));
  const rows = shownRows(asked, ablated);
  const compared = rows.map(({ against }) => against);
  const isMarked = hasBothKinds(compared) && correctionLegend(compared, ablated).length > 0;
  const bounds = new Set(ablated.arms.flatMap(({ arm, upperBound }) => (upperBound === true ? [arm] : [])));
  const decided = decisionColumns(ablated);
  const columns: readonly ColumnOf<Standing>[] = [
    {
      title: 'arm',
      mark: 'strong',
      limit: longestName,
      cell: ({ arm }) => (bounds.has(arm) ? `${arm} (upper bound)` : arm),
    },
    ...(isTrained ? [] : decided),
    right(titleOf(measure), (one) => meanText(measure, one.mean, one)),
    right(reference === null ? '' : `against ${reference}`, ({ arm, against }) =>
      arm === reference
        ? 'reference'
        : against === null
          ? ''
          : differenceText(measure, numberIn(against.difference), against),
    ),
    right('p', ({ against }) => (against === null ? '' : chanceText(numberIn(against.adjusted ?? against.p)))),
    {
      title: resultTitle(compared),
      cell: ({ arm, against, isUnused }) => {
        if (against !== null) return verdictText({ ...against, declared: isMarked && against.declared }, measure);
        if (isUnused) return 'not applicable';
        if (arm === reference || reference === null) return '';
        return isTrained ? 'not tested' : 'not compared';
      },
    },
    ...(isTrained ? decided : []),
  ];
  const more = asked.length - rows.length;
  const legend = [
    ...(isTrained || rows.every(({ mean }) => mean === null) ? [] : [proposalLegend(measure, ablated)]),
    ...mainChangeLegend(ablated),
    ...aroundLegend(rows, measure, ablated),
    ...seedsLegend(compared),
    ...unvariedLegend(compared),
    ...correctionLegend(compared, ablated),
    ...(rows.some(({ isUnused }) => isUnused) ? unusedWords(ablated, '') : []),
    ...(whole.length > asked.length ? ['Baselines that cite nothing are left out: --verbose shows them.'] : []),
    ...(more > 0 ? [`${counted(more, 'more arm')}: --verbose`] : []),
  ];
  return [table(rows, columns), ...(legend.length === 0 ? [] : [note(legend.join(' '))])];
}

/** The best, but arms that a contrast or the next command is about come before others, and baselines last. */
function shownRows(ranked: readonly Standing[], { arms, contrasts, settle }: Ablated): readonly Standing[] {
  const named = new Set([...contrasts, ...(settle == null ? [] : [settle])].flatMap((one) => [one.arm, one.reference]));
  const isBaseline = new Map(arms.map(({ arm, baseline }) => [arm, baseline]));
  const rankOf = ({ arm }: Standing): number => (named.has(arm) ? 0 : isBaseline.get(arm) === true ? 2 : 1);
  const chosen = new Set(ranked.toSorted((one, other) => rankOf(one) - rankOf(other)).slice(0, mostArms));
  return ranked.filter((one) => chosen.has(one));
}

const mostElsewhere = 3;

/** The headline counts all significant contrasts; the table and the first conclusions show only some of them. */
function significantElsewhere({ measure, reference }: Standings, ablated: Ablated): readonly string[] {
  const concluded = ablated.contrasts.slice(0, mostDeclared);
  const others = ablated.comparisons.filter(
    (one) =>
      one.measure === measure.measure &&
      one.verdict === 'significant' &&
      !(isOfArms(ablated, one) && one.reference === reference) &&
      !(one.declared && concluded.some(({ arm, reference: of }) => arm === one.arm && of === one.reference)),
  );
  if (others.length === 0) return [];
  const texts = others.slice(0, mostElsewhere).map((one) => {
    const difference = differenceText(measure, numberIn(one.difference), one);
    return `${contrastName(one, ablated)} ${difference}, p ${chanceText(numberIn(one.adjusted ?? one.p))}`;
  });
  const more = others.length - texts.length;
  return [`Also significant: ${texts.join('; ')}${more > 0 ? `; ${count(more)} more` : ''}.`];
}

/** `showing failures to checkpoint` for the effect `checkpoint: failures` of a factorial. */
function contrastName(one: Comparison, ablated: Ablated): string {
  const { arm, factor } = one;
  if (factor === undefined && !isOfArms(ablated, one)) {
    const [engineer = '', shown = ''] = arm.split(': ');
    return shown.includes(' x ') ? `the interaction ${shown} for ${engineer}` : `showing ${shown} to ${engineer}`;
  }
  return contrastText(one);
}

/** What the columns of a table of proposals mean. */
function proposalLegend({ measure, says, better }: Measure, { arms, decisions }: Ablated): string {
  const isMean = arms.some(({ arm }) => decisions.filter((one) => one.arm === arm).length > 1);
  const differ = decisions.some(({ differs }) => differs !== null)
    ? ` differ: knobs with another value than in the actual decision${isMean ? ', on average over decisions' : ''}.`
    : '';
  return `${measure}: ${says}; ${better} is better.${differ}`;
}

function isAsked(name: string, { arms }: Ablated): boolean {
  return arms.some(({ arm, baseline }) => arm === name && !baseline);
}

/** What each arm decided: its largest change, and if nothing was trained, how far it is from the actual decision. */
function decisionColumns(ablated: Ablated): readonly ColumnOf<Standing>[] {
  const mainChange: ColumnOf<Standing> = {
    title: 'main change',
    minor: true,
    cell: (one) => mainChangeText(decisionsOf(one, ablated)),
  };
  const differing = right<Standing>('differ', (one) => differingText(one, ablated));
  return ablated.depth === 'propose' ? [mainChange, differing] : [mainChange];
}

function mainChangeLegend({ arms, decisions, units }: Ablated): readonly string[] {
  if (decisions.length === 0) return [];
  const own = arms.map(({ arm }) => decisions.filter((one) => one.arm === arm));
  const varies = own.some((some) => new Set(some.map(({ configuration }) => configuration)).size > 1);
  const most = Math.max(0, ...own.map(({ length }) => length));
  const each = most === units.length ? 'seed' : units.length === 1 ? 'stage' : 'stage and seed';
  const first = varies ? ` Each arm decided ${count(most)} times, once for each ${each}; shown is the first.` : '';
  return [`main change: the knob that a decision moved furthest, relative to the step size of the knob.${first}`];
}

function decisionsOf({ arm, isUnused }: Standing, { decisions }: Ablated): Ablated['decisions'] {
  return isUnused ? [] : decisions.filter((one) => one.arm === arm);
}

/** The mean over decisions, of the number of knobs. */
function differingText(one: Standing, ablated: Ablated): string {
  const counts = decisionsOf(one, ablated).flatMap(({ differs }) => (differs === null ? [] : [differs.length]));
  if (counts.length === 0) return '';
  const mean = counts.reduce((sum, one) => sum + one, 0) / counts.length;
  return Number.isInteger(mean) ? String(mean) : mean.toFixed(1);
}

// The conclusions of an ablation: what the data support and what they do not, in plain sentences.
import { canUseNothing } from '../../../../schemas/arm-names.ts';
import { joinWithAnd, joinWithOr } from '../../../base/name-lists.ts';
import { fewestForScatter } from '../../../lab/statistics/power.ts';
import { alphaOf, fewestPairs } from '../../../lab/statistics/significance.ts';
import { type Best, bestBy, type Compared, comparedBy, isMainEffect } from './compared.ts';
import { type ArmResult, type Comparison, type Material, testedMeasure, twinsOf, unusableText } from './material.ts';
import { comparisonOf, resultsOf } from './results.ts';
import {
  chance,
  contrastSentence,
  distance,
  figure,
  formatOf,
  type SentenceContext,
  seeds,
  signed,
  spread,
} from './sentences.ts';

interface Conclusion {
  readonly results: ArmResult[];
  readonly comparisons: Comparison[];
  readonly says: string[];
}

/** The same material always has the same conclusion: random draws have a fixed seed. */
export function conclusionOf(material: Material): Conclusion {
  const measure = testedMeasure(material);
  const compared = measure === null ? [] : comparedBy(measure, material);
  return {
    results: resultsOf(material),
    comparisons: compared.filter(({ untested }) => untested !== 'errored').map(comparisonOf),
    says: saysOf(material, compared),
  };
}

function saysOf(material: Material, compared: readonly Compared[]): string[] {
  const measure = testedMeasure(material);
  const { level, margin, better, tested } = material;
  if (measure === null) return ['No arm has a value of anything: there is nothing to compare.', ...aboutArms(material)];
  const direction = tested?.better ?? better[measure] ?? null;
  const context = { format: formatOf(measure, material), better: direction, level, margin };
  return [
    ...(material.depth === 'propose' ? aboutShown(material) : []),
    ...aboutDeclared(compared, context, material),
    ...aboutMainEffects(compared, context, material),
    ...aboutSplit(compared, measure, material),
    ...aboutUnfinished(material),
    ...aboutReference(compared, material),
    ...aboutRejected(material),
    ...aboutBest(bestBy(measure, usableIn(material)), context),
    ...aboutOthers(compared, context, material),
    ...aboutArms(material),
    ...aboutUnits(measure, material),
    ...aboutRuns(material),
    ...aboutSeeds(material),
    ...aboutRepeating(material),
    ...aboutIntervals(compared, material),
    ...aboutDepth(material),
  ];
}

/** Without the arms whose engineer can use nothing that it is shown. */
function usableIn(material: Material): Material {
  return { ...material, arms: material.arms.filter((arm) => !canUseNothing(arm)) };
}

function aboutDeclared(
  compared: readonly Compared[],
  context: SentenceContext,
  { arms, unfinished = [] }: Material,
): string[] {
  const declared = compared.filter(({ isDeclared }) => isDeclared);
  if (declared.length === 0) return ['No contrast was declared.'];
  return declared.map((one) => {
    const errored = [one.arm, one.reference].filter((arm) => unfinished.includes(arm));
    return errored.length > 0
      ? `${one.arm} and ${one.reference} are not compared: ${joinWithAnd(errored)} errored.`
      : contrastSentence(one, context, arms);
  });
}

/** All that were tested: of a matrix they are few, and what it was made for. */
function aboutMainEffects(compared: readonly Compared[], context: SentenceContext, { arms }: Material): string[] {
  const effects = compared.filter((one) => !one.isDeclared && isMainEffect(one));
  const isSaid = ({ verdict, leftOut }: Compared): boolean => verdict !== 'inconclusive' || leftOut.length > 0;
  const open = effects.filter((one) => !isSaid(one));
  return [
    ...effects.filter(isSaid).map((one) => contrastSentence(one, context, arms)),
    ...(open.length === 0
      ? []
      : [
          `Inconclusive main effects: ${joinWithAnd(open.map(({ kind, arm, reference }) => `${kind} ${arm} against ${reference}`))}.`,
        ]),
  ];
}

/** Figures by which arms were chosen flatter them: which split was compared on, and what the other one reports. */
function aboutSplit(compared: readonly Compared[], measure: string, material: Material): string[] {
  const { splits = {} } = material;
  const split = splits[measure];
  if (split === undefined) return [];
  if (split === 'test')
    return [`Arms are compared by ${measure}, so no split is left that only reports what was chosen.`];
  const reporting = Object.keys(splits).find((one) => splits[one] === 'test');
  const reported = reporting === undefined ? [] : reportedOn(reporting, compared, material);
  return [
    `Arms are compared on validation${reported.length === 0 ? '' : '; the benchmarks are only reported'}.`,
    ...reported,
  ];
}

/** Of the declared contrasts: with intervals, and without tests. */
function reportedOn(measure: string, compared: readonly Compared[], material: Material): string[] {
  const format = formatOf(measure, material);
  const declared = compared.filter(({ isDeclared }) => isDeclared).map(({ of, less }) => JSON.stringify([of, less]));
  return comparedBy(measure, material)
    .filter(({ value, of, less }) => value !== null && declared.includes(JSON.stringify([of, less])))
    .map((one) => {
      const size = `${signed(format, one.value ?? 0)} ${measure}${spread(one, format)}`;
      return `On the benchmarks, ${one.arm} minus ${one.reference} is ${size}: reported, not tested.`;
    });
}

/** Those that are significant or equivalent one by one, and of the rest how many there are. */
function aboutOthers(
  compared: readonly Compared[],
  context: SentenceContext,
  { arms, units, unfinished = [] }: Material,
): string[] {
  const others = compared.filter((one) => !one.isDeclared && !isMainEffect(one));
  if (others.length === 0) return [];
  const conclusive = others.filter(({ verdict }) => verdict === 'significant' || verdict === 'equivalent');
  const tested = others.filter(({ untested }) => untested === null).length;
  return [
    ...conclusive.map((one) => contrastSentence(one, context, arms)),
    ...summary(tested, conclusive),
    ...tooFew(others, tested, context.level),
    ...untestedWords(
      others.filter(({ arm }) => !unfinished.includes(arm)),
      units.length,
    ),
  ];
}

function summary(tested: number, conclusive: readonly Compared[]): string[] {
  const open = tested - conclusive.length;
  const words = conclusive.some(({ verdict }) => verdict === 'equivalent')
    ? 'significant or equivalent'
    : 'significant';
  if (open === 0) return tested < 2 ? [] : [`All ${tested} other contrasts are ${words} (Holm).`];
  if (tested === 1) return ['The one other contrast is inconclusive.'];
  if (conclusive.length === 0) return [`None of ${tested} other contrasts is significant (Holm).`];
  const [one, other] = [conclusive.length, open].map((count) => (count === 1 ? 'is' : 'are'));
  return [`Of ${tested} other contrasts ${conclusive.length} ${one} ${words} (Holm); ${open} ${other} inconclusive.`];
}

function tooFew(others: readonly Compared[], tested: number, level: number): string[] {
  const units = Math.max(0, ...others.filter(({ untested }) => untested === null).map((one) => one.units));
  const fewest = fewestPairs(alphaOf(level) / Math.max(1, tested));
  if (tested === 0 || units >= fewest) return [];
  const none = tested === 1 ? 'the contrast cannot' : `none of ${tested} contrasts can`;
  return [
    `With ${seeds(units)} ${none} be significant, however large the difference: at least ${seeds(fewest)} are needed.`,
  ];
}

/** Arms that decided the same have a sentence of their own; that a single seed says nothing of chance is said once. */
function untestedWords(others: readonly Compared[], units: number): string[] {
  return untestedKinds.flatMap(([why, words]) => {
    const own = units === 1 && why === 'one-pair' ? [] : others.filter(({ untested }) => untested === why);
    return own.length === 0 ? [] : [`${words}: ${named(own)}.`];
  });
}

/** Most are against the same arm, which is named once. */
function named(contrasts: readonly Compared[]): string {
  const effects = contrasts.filter(({ kind }) => kind === 'effect').map(({ arm }) => `the effect ${arm}`);
  const arms = contrasts.filter(({ kind }) => kind !== 'effect');
  const against = Array.from(
    Map.groupBy(arms, (one) => one.reference),
    ([reference, own]) => `${joinWithAnd(own.map(({ arm }) => arm))} against ${reference}`,
  );
  return joinWithAnd([...effects, ...against]);
}

const untestedKinds = [
  ['not-applicable', 'Not tested, because their engineers used the same evidence on both sides'],
  ['same', 'Not tested, because both sides decided the same, with the same results'],
  ['no-pair', 'Not compared, because no seed has a value on both sides'],
  ['one-pair', 'Inconclusive, because one shared seed cannot show how much is chance'],
] as const;

function aboutBest(best: Best | null, { format }: SentenceContext): string[] {
  if (best === null) return [];
  const { mean, second, before, units, arms, all, p, together, isOneDecision } = best;
  const over = units === 1 ? 'in one seed' : `on average over ${seeds(units)}`;
  if (together.length === all)
    return [
      `By ${format.measure} no arm is ahead: ${joinWithAnd(together)} ${together.length === 2 ? 'both' : 'all'} came to ${figure(format, mean)} ${over}.`,
    ];
  if (!isOneDecision)
    return [`${joinWithAnd(together)}${cameOutBest}${format.measure} together, ${figure(format, mean)} ${over}.`];
  const alike = together.length === 1 ? '' : ', which always decided the same,';
  const first = `${joinWithAnd(together)}${alike}${cameOutBest}${format.measure}, ${figure(format, mean)} ${over}`;
  if (best.isSignificant) {
    const others = arms === 2 ? second : `each of the ${arms - 1} others`;
    return [
      `${first}, and ${together.length === 1 ? 'is' : 'are'} significantly better than ${others}, ${chance(p)}, corrected for having picked the best of ${arms} different arms.`,
    ];
  }
  if (before <= 0) return [`${first}, level with ${second}.`];
  return [`${first}, ${distance(format, before)} ahead of ${second}; the difference is inconclusive.`];
}

const cameOutBest = ' came out best in ';

function isAboutBest(conclusion: string): boolean {
  return conclusion.includes(cameOutBest);
}

/** Whether it says that an arm came out best, but not significantly. */
export function saysNoneIsBest(conclusion: string): boolean {
  return isAboutBest(conclusion) && !conclusion.includes('significantly');
}

/** The one to show alone: not that something was not tested, where there is anything else to say. */
export function leadingConclusion(conclusions: readonly string[]): string | null {
  const isTested = (one: string): boolean => !/ (?:was|were) not tested/.test(one);
  const [first = null] = conclusions;
  if (first === null || isTested(first)) return first;
  const others = conclusions.filter(isTested);
  return others.find((one) => /\bis significant(?:ly|:)/.test(one)) ?? others.find(isAboutBest) ?? first;
}

/** Who decides, as arms are called: programs all have the one name, and what was really decided is somebody's. */
function whoseOf({ arm, engineer, form }: Material['arms'][number]): string {
  const stroke = form === null ? -1 : arm.lastIndexOf('/');
  return stroke < 0 ? engineer : arm.slice(0, stroke);
}

/** Whether another context changed an engineer's decisions, which is all that can be seen if nothing is trained. */
function aboutShown(material: Material): string[] {
  const { arms, unfinished = [], decided = arms.map(({ arm }) => arm), decisions = 1 } = material;
  const twins = twinsOf(material);
  const ended = decided.filter((arm) => !unfinished.includes(arm));
  const seeing = arms.filter(({ arm, baseline, form }) => !baseline && form !== null && ended.includes(arm));
  return Array.from(Map.groupBy(seeing, whoseOf)).flatMap(([engineer, all]) => {
    const own = all.filter((arm) => !canUseNothing(arm));
    if (all.length < 2) return [];
    const ways = [...Map.groupBy(own, ({ arm }) => twins.find((alike) => alike.includes(arm))?.[0] ?? arm).values()];
    const unused = all.filter(canUseNothing);
    return [`${engineer} ${decisionsByContext(ways, own.length, unused, decisions)}.`];
  });
}

const contextOf = ({ arm }: Material['arms'][number]): string => arm.slice(arm.lastIndexOf('/') + 1);

function decisionsByContext(
  ways: readonly Material['arms'][],
  used: number,
  unused: Material['arms'],
  decisions: number,
): string {
  const shown = ways.map((way) => way.map(contextOf));
  const unusable = joinWithAnd(unused.map(contextOf));
  if (used === 0) return `cannot use any of ${unused.length} contexts: ${unusable}`;
  if (used === 1)
    return `cannot use ${unusable} alone and took part only with ${joinWithAnd(shown[0] ?? [])}: nothing shows what contexts are worth to it`;
  return `${decisionsByUsed(shown, used, decisions)}${unused.length === 0 ? '' : `; it cannot use ${unusable}`}`;
}

function decisionsByUsed(shown: readonly (readonly string[])[], used: number, decisions: number): string {
  if (shown.length === 1) return `decided the same, whatever it was shown: ${joinWithAnd(shown[0] ?? [])}`;
  const where = decisions > 1 ? ` in at least one of ${decisions} decisions` : '';
  if (shown.length === used)
    return `decided differently with each of ${used} contexts${where}: ${joinWithAnd(shown.flat())}`;
  return `made ${shown.length} different decisions with ${used} contexts: ${shown.map((way, index) => `${index === 1 && shown.length === 2 ? 'the other' : 'one'} with ${joinWithOr(way)}`).join(', ')}`;
}

/** Where nothing is trained: of one engineer it has been said, and of baselines nobody asks. */
function isNews(alike: Material['arms']): boolean {
  return new Set(alike.map(whoseOf)).size > 1 && alike.some(({ modules }) => modules !== null);
}

/** Which of its units were done is a matter of timing. */
function aboutUnfinished({ unfinished = [] }: Material): string[] {
  if (unfinished.length === 0) return [];
  return [`${joinWithAnd(unfinished)} errored and ${unfinished.length === 1 ? 'is' : 'are'} not counted here.`];
}

/** Where the arm that all others would be compared with is errored. */
function aboutReference(compared: readonly Compared[], { depth, arms, unfinished = [] }: Material): string[] {
  const first = compared.find((one) => one.isDeclared && !isMainEffect(one));
  if (first === undefined || !unfinished.includes(first.reference)) return [];
  const ended = arms.filter(({ arm, form }) => !unfinished.includes(arm) && (depth !== 'propose' || form !== null));
  const others = ended.filter(({ arm }) => arm !== first.arm);
  return others.length === 0
    ? []
    : [`Nothing else is compared either: all others would have been against ${first.reference}.`];
}

function aboutRejected({ rejected = [] }: Material): string[] {
  if (rejected.length === 0) return [];
  const names = rejected.map(({ arm, count, of }) => `${arm} (${count} of ${of})`);
  return [`Some answers could not be used, and the configuration stayed the same: ${joinWithAnd(names)}.`];
}

function aboutArms(material: Material): string[] {
  const made = (names: readonly string[]) => material.arms.filter(({ arm }) => names.includes(arm));
  const twins = twinsOf(material).filter((arms) => material.depth !== 'propose' || isNews(made(arms)));
  const alike = twins.map(
    (arms) => `${joinWithAnd(arms)} made the same decisions everywhere: there is nothing to test between them.`,
  );
  const shown = material.arms.filter(({ notApplicable }) => notApplicable.length > 0);
  const groups = Map.groupBy(shown, ({ notApplicable }) => JSON.stringify(notApplicable.toSorted()));
  const unused = Array.from(groups.values(), (arms) => {
    const engineers = joinWithAnd([...new Set(arms.map(whoseOf))]);
    const names = joinWithAnd(arms.map(({ arm }) => arm));
    const unusable = arms[0]?.notApplicable ?? [];
    const modules = joinWithAnd(unusable);
    const says = arms.length === 1 ? 'says' : 'say';
    return `${engineers} ${unusableText(arms, unusable)}: ${names} ${says} nothing about what ${modules} is worth to others.`;
  });
  const bounds = material.arms.filter(({ upperBound }) => upperBound === true).map(({ arm }) => arm);
  const cheating = bounds.map(
    (arm) => `${arm} is an upper bound: its engineer cheats by reading what the environment hides.`,
  );
  return [...cheating, ...alike, ...unused];
}

/** Arms that lack a value somewhere, and what so few units as there are can say at all. */
function aboutUnits(measure: string, { arms, units, values }: Material): string[] {
  const has = Map.groupBy(
    values.filter((one) => one.measure === measure && one.value !== null),
    ({ arm }) => arm,
  );
  const lacking = arms.flatMap(({ arm }) => {
    const missing = units.length - new Set((has.get(arm) ?? []).map(({ unit }) => unit)).size;
    // Of an arm that never has such a value, none is missing.
    return missing > 0 && missing < units.length ? [`${arm} in ${missing}`] : [];
  });
  const single =
    units.length < fewestForScatter
      ? [`${units.length === 1 ? 'One seed' : 'Two seeds'}: means have no intervals, and other seeds may differ.`]
      : [];
  if (lacking.length === 0) return single;
  return [
    ...single,
    `Without ${measure}, of ${seeds(units.length)}: ${joinWithAnd(lacking)}. Pairs go without these seeds.`,
  ];
}

function aboutRuns({ runs, units }: Material): readonly string[] {
  return runs === undefined ? [] : sharedHistoryTexts(units.length, runs);
}

/** Seeds of one run start from the same checkpoints, and are shown the same history. */
export function sharedHistoryTexts(units: number, runs: number): readonly string[] {
  if (runs >= units) return [];
  return runs === 1
    ? [`${units === 2 ? 'Both seeds' : `All ${seeds(units)}`} are of one run; another history may give another result.`]
    : [`${seeds(units)} of ${runs} runs: seeds of one run share its history, and are taken to be independent.`];
}

/** A fork and its parent, or two runs that began alike. */
function aboutSeeds({ sameSeed = [] }: Material): string[] {
  return sameSeed.map(
    (units) =>
      `${joinWithAnd(units)} have the same training seed: they may share more than these statistics, which take them to be independent, can know.`,
  );
}

function aboutRepeating({ arms, repeating }: Material): string[] {
  const seeing = arms.filter(({ baseline }) => !baseline).map(({ arm }) => arm);
  const named = seeing.filter((arm) => repeating?.arms.includes(arm));
  if (named.length === 0) return [];
  return [
    `Nothing is trained, and with every seed of a run ${joinWithAnd(named)} decided the same: among such arms a run counts once.`,
  ];
}

function aboutIntervals(compared: readonly Compared[], { level, units }: Material): string[] {
  const percent = Number((100 * level).toFixed(3));
  const hasAny = units.length >= fewestForScatter || compared.some(({ interval }) => interval !== null);
  return hasAny
    ? [`Intervals are ${percent} % intervals of single figures, not corrected for multiple comparisons.`]
    : [];
}

function aboutDepth({ depth }: Material): string[] {
  return depth === 'propose' ? ['These are scores of proposals; they do not say how well training on them works.'] : [];
}

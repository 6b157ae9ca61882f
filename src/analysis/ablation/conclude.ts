// What an ablation comes to at its end, from its record alone: what is compared with what, how much alike arms decided, and
// what confounds a comparison.
import type { Ablated, AblatedArm, Likeness } from '../../../schemas/ablation-output.ts';
import { canUseNothing, cellOf } from '../../../schemas/arm-names.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import { joinWithAnd, listNames } from '../../base/name-lists.ts';
import type { Factor } from '../../producers/ablation/cells.ts';
import type { Unfinished } from '../../producers/ablation/errored.ts';
import type { AblationRecord, OfArm } from '../../producers/ablation/record.ts';
import { formName } from '../history/runs.ts';
import { mainEffect, mainEffects } from './statistics/compared.ts';
import { conclusionOf } from './statistics/conclusions.ts';
import type { ArmMade, Contrast, Material, Split, Tested } from './statistics/material.ts';
import { type Measure, measuresAt, spentIn, unitsIn, valuesIn } from './values.ts';

type Started = EventData['AblationStarted'];

/**
 * Increased with each change of a sentence or of what is tested together, so that verification does not compare the conclusions of
 * different versions.
 */
const wordingVersion = '9';

type Concluded = Pick<EventData['AblationCompleted'], 'results' | 'contrasts' | 'conclusions'>;

/** As far as it is: it may be asked for before all arms are done. */
function concluded(record: AblationRecord, unfinished: Unfinished): Concluded {
  const started = record.started?.data;
  if (started === undefined) return { results: [], contrasts: [], conclusions: [] };
  const { depth, arms, histories, level, margin = null } = started;
  const measures = measuresAt(depth);
  const errored = unfinished.map(({ arm }) => arm);
  // An arm that came to no end enters no contrast, and no mean over others.
  const made = arms.map((one): ArmMade => ({ ...armOf(one), isErrored: errored.includes(one.arm) }));
  const declared = declaredIn(started);
  const conclusion = conclusionOf({
    depth,
    arms: made,
    units: unitsIn(record).map(({ unit }) => unit),
    runs: new Set(unitsIn(record).map(({ run }) => run)).size,
    sameSeed: sameSeedIn(record),
    ...(depth === 'propose' ? repeatingIn(record, errored) : {}),
    values: valuesIn(record, unfinished),
    ...ofMeasures(measures),
    tested: testedBy(declared),
    declared: declaredContrasts(declared, made),
    contrasts: contrastsOf(record, made),
    level,
    margin,
    unfinished: errored,
    ...answersIn(record),
    same: likenessIn(record, unfinished)
      .filter(({ same }) => same)
      .map(({ arm, other }) => [arm, other] as const),
  });
  const early = earlierSnapshots(
    arms.map(({ engineer }) => engineer.name),
    histories.flatMap(({ decisions }) => decisions.map((configured) => configured - 1)),
  );
  const { results, comparisons, says } = conclusion;
  return {
    results: results.filter(({ arm }) => !errored.includes(arm)),
    contrasts: comparisons.filter(({ arm, reference }) => !errored.includes(arm) && !errored.includes(reference)),
    conclusions: [...says, ...early, ...exemplarConfounds(record)],
  };
}

type ArmRecorded = Pick<
  Started['arms'][number],
  'arm' | 'engineer' | 'contextForm' | 'baseline' | 'notApplicable' | 'without'
>;

/** An arm, from its design or its record. */
export function armOf(recorded: ArmRecorded): AblatedArm {
  const { arm, engineer, contextForm: form, without = [], baseline, notApplicable = [] } = recorded;
  return {
    arm,
    engineer: engineer.name,
    model: engineer.model ?? null,
    form: form === null ? null : formName(form),
    modules: form === null ? null : [...form.modules],
    without: [...without],
    baseline,
    ...(engineer.parameters?.['upperBound'] === true ? { upperBound: true } : {}),
    notApplicable: [...notApplicable],
    reads: engineer.reads === undefined ? null : [...engineer.reads],
  };
}

/** All contrasts are tested by the measure of the first one that was declared. */
export function testedBy([first]: readonly Tested[]): Tested | null {
  return first === undefined ? null : { measure: first.measure, better: first.better };
}

export function ofMeasures(
  measures: readonly Pick<Measure, 'measure' | 'better' | 'is' | 'split'>[],
): Required<Pick<Material, 'better' | 'shares' | 'splits'>> {
  return {
    better: Object.fromEntries(measures.map(({ measure, better }) => [measure, better])),
    shares: measures.filter(({ is }) => is === 'share').map(({ measure }) => measure),
    splits: Object.fromEntries(
      measures.flatMap(({ measure, split }): [string, Split][] => (split === null ? [] : [[measure, split]])),
    ),
  };
}

/** Seeds make a difference to who draws lots, and to nobody else before anything is trained. */
function repeatingIn(record: AblationRecord, errored: readonly string[]): Pick<Material, 'repeating'> {
  const byRun = Map.groupBy(unitsIn(record), ({ run }) => run);
  const units = [...byRun.values()].flatMap(([first]) => (first === undefined ? [] : [first.unit]));
  if (units.length === unitsIn(record).length) return {};
  const byArm = Map.groupBy(record.proposals.values(), ({ place }) => place.arm);
  const isRepeating = (proposals: readonly OfArm<'ArmProposed'>[]): boolean =>
    [...Map.groupBy(proposals, ({ run, place }) => JSON.stringify([run, place.stage])).values()].every(
      (same) => new Set(same.map(({ data }) => data.configuration.digest)).size === 1,
    );
  const arms = (record.started?.data.arms ?? []).map(({ arm }) => arm);
  const whole = arms.filter((arm) => !errored.includes(arm));
  return { repeating: { units, arms: whole.filter((arm) => isRepeating(byArm.get(arm) ?? [])) } };
}

function sameSeedIn(record: AblationRecord): readonly (readonly string[])[] {
  return [...Map.groupBy(unitsIn(record), ({ seed }) => String(seed)).values()]
    .filter((units) => new Set(units.map(({ run }) => run)).size > 1)
    .map((units) => units.map(({ unit }) => unit));
}

/** Answers that could not be used, by arm, and the arms that decided wherever any did. */
function answersIn({
  started,
  proposals,
  rejections,
}: AblationRecord): Required<Pick<Material, 'rejected' | 'decided' | 'decisions'>> {
  const arms = (started?.data.arms ?? []).map(({ arm }) => {
    const of = (answers: ReadonlyMap<string, { readonly place: { readonly arm: string } }>): number =>
      [...answers.values()].filter(({ place }) => place.arm === arm).length;
    const [usable, count] = [of(proposals), of(rejections)];
    return { arm, usable, count, of: usable + count };
  });
  const most = Math.max(0, ...arms.map((one) => one.of));
  return {
    rejected: arms.filter(({ count }) => count > 0).map(({ arm, count, of }) => ({ arm, count, of })),
    decided: arms.filter(({ usable }) => usable === most).map(({ arm }) => arm),
    decisions: most,
  };
}

export function completion(record: AblationRecord, unfinished: Unfinished): EventData['AblationCompleted'] {
  const { spent, cost } = spentIn(record);
  const [paid] = Object.entries(cost);
  return {
    ...concluded(record, unfinished),
    version: wordingVersion,
    unfinished,
    spent,
    ...(paid === undefined ? {} : { cost: { currency: paid[0], total: paid[1] } }),
  };
}

export interface Declared extends Tested {
  /** Of a main effect; null: of two arms. */
  readonly factor: Factor | null;
  readonly arm: string;
  readonly reference: string;
}

/** Measures on the benchmarks, as earlier ablations have them. */
const earlierNames: Readonly<Record<string, string>> = { valid: 'benchmarks', optimal: 'benchmarks-optimal' };

/** Every contrast that was declared. */
export function declaredIn({ primary, contrasts }: Pick<Started, 'primary' | 'contrasts'>): readonly Declared[] {
  const all = contrasts ?? (primary === null ? [] : [primary]);
  return all.map((one) => ({
    ...one,
    measure: earlierNames[one.measure] ?? one.measure,
    factor: 'factor' in one ? (one.factor ?? null) : null,
  }));
}

export function declaredContrasts(declared: readonly Declared[], arms: readonly ArmMade[]): readonly Contrast[] {
  return declared.map(({ factor, arm, reference }) =>
    factor === null ? ofArms(arm, reference, 'arms') : mainEffect(factor, { arm, reference }, arms),
  );
}

interface Made {
  readonly arms: readonly ArmMade[];
  readonly declared: readonly Declared[];
  readonly depth: Started['depth'];
  readonly preset: string | null;
  /** Of a factorial. */
  readonly factors?: readonly string[];
}

/** All that were not declared. */
export function contrastsAmong({ arms, declared, depth, preset, factors }: Made): readonly Contrast[] {
  if (factors !== undefined) return effectsOf(arms, factors);
  const effects = preset === 'sensitivity' ? [] : mainEffects(arms);
  const ended = arms.filter(({ isErrored = false }) => !isErrored);
  const named = referenceOf(ended, declared);
  const reference = ended.find(({ arm }) => arm === named)?.arm;
  if (reference === undefined) return effects;
  const kind = preset === 'leave-one-out' || preset === 'sensitivity' ? 'leave-one-out' : 'arms';
  const others = ended
    .filter(({ arm }) => arm !== reference)
    // What is scored is what was made of a context: who is shown none has no such score.
    .filter((arm) => (depth !== 'propose' || arm.form !== null) && !canUseNothing(arm))
    .map(({ arm }) => ofArms(arm, reference, kind));
  return [...effects, ...others];
}

/** What the first declared contrast of two arms is against; where there is none, the first arm of the matrix. */
function referenceOf(arms: readonly ArmMade[], declared: readonly Declared[]): string | null {
  const first = declared.find(({ factor }) => factor === null);
  if (first !== undefined) return first.reference;
  return declared.length === 0 ? null : (arms.find((arm) => cellOf(arm) !== null && !canUseNothing(arm))?.arm ?? null);
}

function ofArms(arm: string, reference: string, kind: Contrast['kind']): Contrast {
  return { arm, reference, kind, of: [arm], less: [reference] };
}

function contrastsOf({ started, options }: AblationRecord, arms: readonly ArmMade[]): readonly Contrast[] {
  if (started === null) return [];
  const { depth, preset = null } = started.data;
  const choice = options?.choice;
  const factors = choice?.kind === 'factorial' ? choice.factors : undefined;
  const declared = declaredIn(started.data);
  return contrastsAmong({ arms, declared, depth, preset, ...(factors === undefined ? {} : { factors }) });
}

/** Of every factor by itself, and of every two together: how much more the one does where the other is shown. */
function effectsOf(arms: readonly ArmMade[], factors: readonly string[]): readonly Contrast[] {
  const shown = arms.filter(({ form, baseline }) => form !== null && !baseline);
  return [...new Set(shown.map(({ engineer }) => engineer))].flatMap((engineer) => {
    const own = shown.filter((arm) => arm.engineer === engineer);
    const has = ({ modules }: ArmMade, factor: string): boolean => modules?.includes(factor) === true;
    const named = (all: readonly ArmMade[]): string[] => all.map(({ arm }) => arm);
    const effect = (name: string, isOf: (arm: ArmMade) => boolean): Contrast => ({
      arm: `${engineer}: ${name}`,
      reference: `${engineer}: without`,
      kind: 'effect',
      of: named(own.filter(isOf)),
      less: named(own.filter((arm) => !isOf(arm))),
    });
    const pairs = factors.flatMap((one, i) => factors.slice(i + 1).map((other) => [one, other] as const));
    return [
      ...factors.map((factor) => effect(factor, (arm) => has(arm, factor))),
      ...pairs.map(([one, other]) => effect(`${one} x ${other}`, (arm) => has(arm, one) === has(arm, other))),
    ];
  });
}

type Configuration = EventData['ArmProposed']['configuration'];
type Turn = NonNullable<Ablated['decisions'][number]['differs']>[number];

/** From what was really decided, or whatever else, to another configuration, knob by knob. */
export function turnsBetween(from: Configuration, to: Configuration): Turn[] {
  const before = new Map(from.knobs.map(({ knob, value }) => [knob, value]));
  const after = new Map(to.knobs.map(({ knob, value }) => [knob, value]));
  const families = new Map([...from.knobs, ...to.knobs].map(({ knob, family }) => [knob, family]));
  return Array.from(families, ([knob, family]) => ({
    knob,
    family,
    from: before.get(knob) ?? null,
    to: after.get(knob) ?? null,
  })).filter(({ from: one, to: other }) => one !== other);
}

/** Of every two arms that came to their end. */
export function likenessIn(record: AblationRecord, unfinished: Unfinished): readonly Likeness[] {
  const leftOut = new Set(unfinished.map(({ arm }) => arm));
  const arms = record.started?.data.arms.map(({ arm }) => arm).filter((arm) => !leftOut.has(arm)) ?? [];
  const decided = new Map(arms.map((arm) => [arm, decisionsOf(record, arm)]));
  return arms.flatMap((arm, i) =>
    arms.slice(i + 1).flatMap((other) => {
      const like = likeness(decided.get(arm) ?? new Map(), decided.get(other) ?? new Map());
      return like === null ? [] : [{ arm, other, ...like }];
    }),
  );
}

/** By unit and stage; null where what came could not be used: nothing changes. */
function decisionsOf(
  { proposals, rejections }: AblationRecord,
  arm: string,
): ReadonlyMap<string, Configuration | null> {
  const of = [...proposals.values(), ...rejections.values()].filter(({ place }) => place.arm === arm);
  return new Map(
    of.map(({ place: { unit, stage }, data }) => [
      JSON.stringify([unit, stage]),
      'configuration' in data ? data.configuration : null,
    ]),
  );
}

type Decided = ReadonlyMap<string, Configuration | null>;

function likeness(one: Decided, other: Decided): Pick<Likeness, 'knobs' | 'same'> | null {
  const common = [...one].filter(([place]) => other.has(place));
  if (common.length === 0) return null;
  let [knobs, compared, isSame] = [0, 0, one.size === other.size && common.length === one.size];
  for (const [place, mine] of common) {
    const theirs = other.get(place) ?? null;
    if (mine === null || theirs === null) {
      isSame &&= mine === theirs;
      continue;
    }
    knobs += turnsBetween(mine, theirs).length;
    compared += 1;
    isSame &&= mine.digest === theirs.digest;
  }
  // Without two usable answers there is no distance.
  return compared === 0 ? null : { knobs: knobs / compared, same: isSame };
}

/**
 * In words; nothing where all forms that show rollouts show as many. Rollouts left out on purpose are no confound, nor is it one that arms
 * which go on as runs of their own come to show others.
 */
export function exemplarConfounds({ started, proposals, rejections }: AblationRecord): string[] {
  const arms = (started?.data.arms ?? []).filter(({ without = [] }) => without.length === 0).map(({ arm }) => arm);
  const answers = [...proposals.values(), ...rejections.values()];
  const lastShared =
    started?.data.depth === 'run' ? Math.min(...answers.map(({ place }) => place.stage)) : Number.POSITIVE_INFINITY;
  const shown = answers.flatMap(({ run, place, data }) => {
    const exemplars = data.context?.exemplars;
    return exemplars === undefined || place.stage > lastShared || !arms.includes(place.arm)
      ? []
      : [{ run, ...place, exemplars }];
  });
  const places = Map.groupBy(shown, ({ run, unit, stage }) => JSON.stringify([run, unit, stage]));
  const fewer = new Set<string>();
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const own of places.values()) {
    const top = Math.max(...own.map(({ exemplars }) => exemplars));
    for (const { arm, exemplars } of own.filter((one) => one.exemplars < top)) {
      fewer.add(arm);
      least = Math.min(least, exemplars);
      most = Math.max(most, top);
    }
  }
  if (fewer.size === 0) return [];
  const named = arms.filter((arm) => fewer.has(arm));
  const were = named.length === 1 ? 'was' : 'were';
  return [
    `Confounded: ${listNames(named)} ${were} shown fewer rollouts than others, as few as ${least} where others were shown ${most}: their contexts had no room for more. They differ in more than their forms.`,
  ];
}

/** The stage of `checkpoint@2`; null of whoever is no such snapshot. */
export function snapshotStage(engineer: string): number | null {
  const [, stage] = /^checkpoint@(\d+)$/.exec(engineer) ?? [];
  return stage === undefined ? null : Number(stage);
}

/** `stages`: after which is decided, in any of the histories. */
export function earlierSnapshots(engineers: readonly string[], stages: readonly number[]): string[] {
  const decided = [...new Set(stages)].sort((one, other) => one - other);
  return [...new Set(engineers)].flatMap((engineer) => {
    const before = decided.filter((stage) => stage < (snapshotStage(engineer) ?? 0));
    if (before.length === 0) return [];
    const which = `stage${before.length === 1 ? '' : 's'} ${joinWithAnd(before.map((stage) => String(stage + 1)))}`;
    return [`For ${which} there was no ${engineer} yet: the latest weights decided in its place, as checkpoint does.`];
  });
}

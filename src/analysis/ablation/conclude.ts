// What an ablation comes to at its end, from its record alone.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Unfinished } from '../../producers/ablation/errored.ts';
import type { AblationRecord, OfArm } from '../../producers/ablation/record.ts';
import { contrastsOf, declaredContrasts, declaredIn } from './contrasts.ts';
import { exemplarConfounds } from './exemplars.ts';
import { likenessIn } from './likeness.ts';
import { type Measure, measuresAt } from './measures.ts';
import { earlierSnapshots } from './snapshots.ts';
import { spentIn } from './spent.ts';
import { conclusionOf } from './statistics/conclude.ts';
import type { ArmMade, Material, Split, Tested } from './statistics/material.ts';
import { unitsIn, valuesIn } from './values.ts';

type Started = EventData['AblationStarted'];

type Concluded = Pick<EventData['AblationCompleted'], 'results' | 'contrasts' | 'conclusions'>;

/** As far as it is: it may be asked for before all arms are done. */
function concluded(record: AblationRecord, unfinished: Unfinished): Concluded {
  const started = record.started?.data;
  if (started === undefined) return { results: [], contrasts: [], conclusions: [] };
  const { depth, arms, histories, level, margin = null } = started;
  const measures = measuresAt(depth);
  const errored = unfinished.map(({ arm }) => arm);
  // An arm that came to no end enters no contrast, and no mean over others.
  const made = arms.map((one): ArmMade => ({ ...madeOf(one), isErrored: errored.includes(one.arm) }));
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

type ArmSaid = Pick<
  Started['arms'][number],
  'arm' | 'engineer' | 'contextForm' | 'baseline' | 'notApplicable' | 'without'
>;

/** An arm as statistics know it, from its design or its record. */
export function madeOf({
  arm,
  engineer,
  contextForm: form,
  baseline,
  notApplicable = [],
  without = [],
}: ArmSaid): ArmMade {
  return {
    ...{ arm, baseline, notApplicable, without },
    engineer: engineer.name,
    reads: engineer.reads,
    form: form === null ? null : (form.name ?? form.modules.join('+')),
    modules: form?.modules ?? null,
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
}: AblationRecord): Required<Pick<Material, 'rejected' | 'decided'>> {
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
  };
}

export function completion(record: AblationRecord, unfinished: Unfinished): EventData['AblationCompleted'] {
  const { spent, cost } = spentIn(record);
  const [paid] = Object.entries(cost);
  return {
    ...concluded(record, unfinished),
    unfinished,
    spent,
    ...(paid === undefined ? {} : { cost: { currency: paid[0], total: paid[1] } }),
  };
}

// What an ablation comes to at its end, from its record alone.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Unfinished } from '../../producers/ablation/conduct.ts';
import type { AblationRecord, OfArm } from '../../producers/ablation/record.ts';
import { contrastsOf } from './contrasts.ts';
import { likenessIn } from './likeness.ts';
import { measuresAt } from './measures.ts';
import { earlierSnapshots } from './snapshots.ts';
import { spentIn } from './spent.ts';
import { type Conclusion, conclusionOf } from './statistics/conclude.ts';
import type { Material } from './statistics/material.ts';
import { unitsIn, valuesIn } from './values.ts';

/** As far as it is: it may be asked for before all arms are done. */
function concluded(record: AblationRecord, unfinished: Unfinished): Conclusion {
  const started = record.started?.data;
  if (started === undefined) return { results: [], comparisons: [], says: [] };
  const { depth, arms, histories, primary, level, margin = null } = started;
  const measures = measuresAt(depth);
  const conclusion = conclusionOf({
    depth,
    arms: arms.map(({ arm, engineer, form, baseline, notApplicable = [], without = [] }) => ({
      ...{ arm, baseline, notApplicable, without },
      engineer: engineer.name,
      form: form === null ? null : (form.name ?? form.modules.join('+')),
      modules: form?.modules ?? null,
    })),
    units: unitsIn(record).map(({ unit }) => unit),
    runs: new Set(unitsIn(record).map(({ run }) => run)).size,
    sameSeed: sameSeedIn(record),
    ...(depth === 'propose' ? repeatingIn(record) : {}),
    values: valuesIn(record, unfinished),
    better: Object.fromEntries(measures.map(({ measure, better }) => [measure, better])),
    shares: measures.filter((measure) => measure.is === 'share').map(({ measure }) => measure),
    primary,
    contrasts: contrastsOf(record),
    level,
    margin,
    unfinished: unfinished.map(({ arm }) => arm),
    ...answersIn(record),
    same: likenessIn(record, unfinished)
      .filter(({ same }) => same)
      .map(({ arm, other }) => [arm, other] as const),
  });
  const early = earlierSnapshots(
    arms.map(({ engineer }) => engineer.name),
    histories.flatMap(({ stages }) => stages),
  );
  return { ...conclusion, says: [...conclusion.says, ...early] };
}

/** Seeds make a difference to who draws lots, and to nobody else before anything is trained. */
function repeatingIn(record: AblationRecord): Pick<Material, 'repeating'> {
  const byRun = Map.groupBy(unitsIn(record), ({ run }) => run);
  const units = [...byRun.values()].flatMap(([first]) => (first === undefined ? [] : [first.unit]));
  if (units.length === unitsIn(record).length) return {};
  const byArm = Map.groupBy(record.proposals.values(), ({ place }) => place.arm);
  const isRepeating = (proposals: readonly OfArm<'ArmProposed'>[]): boolean =>
    [...Map.groupBy(proposals, ({ run, place }) => JSON.stringify([run, place.stage])).values()].every(
      (same) => new Set(same.map(({ data }) => data.configuration.digest)).size === 1,
    );
  const arms = (record.started?.data.arms ?? []).map(({ arm }) => arm);
  return { repeating: { units, arms: arms.filter((arm) => isRepeating(byArm.get(arm) ?? [])) } };
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

// Whether arms were shown as many rollouts as each other: where a form had no room for as many, arms differ in more than in
// what they were shown, and whoever reads the comparison has to know.
import { listed } from '../../base/listed.ts';
import type { AblationRecord } from '../../producers/ablation/record.ts';

/** In words; nothing where all forms that show rollouts show as many. Rollouts left out on purpose are no confound. */
export function exemplarConfounds({ started, proposals, rejections }: AblationRecord): string[] {
  const arms = (started?.data.arms ?? []).filter(({ without = [] }) => without.length === 0).map(({ arm }) => arm);
  const shown = [...proposals.values(), ...rejections.values()].flatMap(({ run, place, data }) => {
    const exemplars = data.context?.exemplars;
    return exemplars === undefined || !arms.includes(place.arm) ? [] : [{ run, ...place, exemplars }];
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
    `Confounded: ${listed(named)} ${were} shown fewer rollouts than others, as few as ${least} where others were shown ${most}: their contexts had no room for more. They differ in more than their forms.`,
  ];
}

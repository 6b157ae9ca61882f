// How much alike arms decided: in how many knobs their configurations differ, on average over units and stages.
import type { Ablated, Likeness } from '../../../schemas/ablation-output.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Unfinished } from '../../producers/ablation/errored.ts';
import type { AblationRecord } from '../../producers/ablation/record.ts';

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

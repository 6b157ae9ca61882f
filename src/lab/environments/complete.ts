// A configuration that leaves out whole families, made whole: what is not mentioned has no share of the tasks.
import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import type { Configuration } from './environment.ts';
import { isObject, knobValue, memberOf, withKnob } from './knobs.ts';

/**
 * With the families of which a configuration says nothing: their shares are the least there can be, their other knobs those of
 * `start`. Where it names no family at all, or families have no place of their own in it, it is left as it is, and so is what is
 * no configuration: a check says what is wrong with them.
 */
export function withEveryFamily<Given>(
  descriptor: Descriptor,
  given: Given,
  start: Configuration,
): Given | Configuration {
  if (!isObject(given)) return given;
  const grouped = [...Map.groupBy(descriptor.knobs, ({ family }) => family)].filter(([family]) => family !== null);
  const unmentioned = grouped.filter(([, knobs]) => knobs.every((knob) => hasNoPlace(given, knob)));
  if (unmentioned.length === grouped.length) return given;
  const shares = new Set(descriptor.sharesSum?.flatMap(({ knobs }) => knobs));
  let whole: Configuration = given;
  for (const knob of unmentioned.flatMap(([, knobs]) => knobs)) {
    const least = knob.range.min;
    whole = withKnob(whole, knob, shares.has(knob.name) ? least : (knobValue(start, knob) ?? least));
  }
  return whole;
}

/** Neither it nor what it would stand in. */
function hasNoPlace(configuration: Configuration, { path }: Knob): boolean {
  let place: unknown = configuration;
  for (const step of path.slice(0, -1)) {
    if (!isObject(place)) return false;
    place = memberOf(place, step);
  }
  return place === undefined;
}

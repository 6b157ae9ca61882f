// What a figure is cited by: letters for the module, the group, the measure. A label has no spaces and nothing that steers,
// and no two are alike.
import { visible } from '../../base/visible.ts';

/** A name as part of a label: what may not stand in one is written as in an address, `easy%20sums`. */
export function labelPart(name: string): string {
  return visible(name).replace(/[\s%]/g, (character) => encodeURIComponent(character));
}

/** `B8.valid`; over all groups `B.valid`. */
export function labelOf(prefix: string, group: string | null, ...parts: readonly string[]): string {
  return [`${prefix}${group === null ? '' : labelPart(group)}`, ...parts.map(labelPart)].join('.');
}

/** Where names have dots in them, two may come to the same label: the later one is told apart by a number. */
export function distinct<Labelled extends { readonly label: string }>(all: readonly Labelled[]): Labelled[] {
  const taken = new Set<string>();
  return all.map((one) => {
    let label = one.label;
    for (let i = 2; taken.has(label); i++) label = `${one.label}~${i}`;
    taken.add(label);
    return label === one.label ? one : { ...one, label };
  });
}

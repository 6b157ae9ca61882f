// What a figure is cited by: letters for the module, the family, the measure. An evidence id has no spaces and nothing that steers,
// and no two are alike.
import { visible } from '../../base/visible.ts';

/** A name as part of an evidence id: what may not stand in one is written as in an address, `easy%20sums`. */
export function evidenceIdPart(name: string): string {
  return visible(name).replace(/[\s%]/g, (character) => encodeURIComponent(character));
}

/** `B8.valid`; over all families `B.valid`. */
export function evidenceIdOf(prefix: string, family: string | null, ...parts: readonly string[]): string {
  return [`${prefix}${family === null ? '' : evidenceIdPart(family)}`, ...parts.map(evidenceIdPart)].join('.');
}

/** Where names have dots in them, two may come to the same evidence id: the later one is told apart by a number. */
export function distinct<WithEvidenceId extends { readonly evidenceId: string }>(
  all: readonly WithEvidenceId[],
): WithEvidenceId[] {
  const taken = new Set<string>();
  return all.map((one) => {
    let evidenceId = one.evidenceId;
    for (let i = 2; taken.has(evidenceId); i++) evidenceId = `${one.evidenceId}~${i}`;
    taken.add(evidenceId);
    return evidenceId === one.evidenceId ? one : { ...one, evidenceId };
  });
}

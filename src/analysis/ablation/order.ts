// Arms come to their ends in any order: what is told of them, and added up over them, does not depend on it.

/** By where each stands, not by when it was recorded. */
export function inOrder<Of>(byPlace: ReadonlyMap<string, Of>): readonly Of[] {
  return [...byPlace].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, of]) => of);
}

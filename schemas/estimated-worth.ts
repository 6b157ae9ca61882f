// A number in reasons of the built-in engineers. No table has it, so whoever shows a reason explains it.

export const worthWords = 'estimated worth';

const worthMeaning = 'Estimated worth: how much an engineer expects a family to teach (docs/engineers.md).';

/** Null where no reason has such a number. */
export function worthNote(reasons: readonly (string | null)[]): string | null {
  return reasons.some((reason) => reason?.includes(worthWords) === true) ? worthMeaning : null;
}

// Which revision a writer expects a stream to have.

/** 'none' for a stream without events. */
export type Expected = 'any' | 'exists' | 'none' | number;

/** What all messages that name an expected revision have in common, under one name or another. */
export interface ExpectedOptions {
  hasAny(): boolean;
  hasNoStream(): boolean;
  hasStreamExists(): boolean;
}

/** Null where nothing is said. */
export function expectedIn(options: ExpectedOptions, revision: string | null): Expected | null {
  if (revision !== null) return Number(revision);
  if (options.hasAny()) return 'any';
  if (options.hasNoStream()) return 'none';
  return options.hasStreamExists() ? 'exists' : null;
}

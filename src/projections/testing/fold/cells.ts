// How what events say stands in the cells of a table.

/** What a whole number of a table can be. */
export function whole(value: number | undefined): number | null {
  return value === undefined || Math.abs(value) >= 2 ** 63 ? null : Math.round(value);
}

export function momentOf(at: string | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

export function json(value: unknown): unknown {
  return value === undefined ? null : { json: value };
}

// How event fields become cells of a table.

/** The range of integers in a table. */
export function whole(value: number | undefined): number | null {
  return value === undefined || Math.abs(value) >= 2 ** 63 ? null : Math.round(value);
}

export function momentOf(at: string | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

export function json(value: unknown): unknown {
  return value === undefined ? null : { json: value };
}

// Names of columns, told apart: what reads a file or an object by names loses all but one of those that are the same.

/** The first of a name keeps it, others become `name_1`, `name_2`, as DuckDB itself names them in a subquery. */
export function apart(names: readonly string[]): readonly string[] {
  const asked = new Set(names);
  const taken = new Set<string>();
  return names.map((name) => {
    const own = taken.has(name) ? firstFree(name, (other) => taken.has(other) || asked.has(other)) : name;
    taken.add(own);
    return own;
  });
}

function firstFree(name: string, isTaken: (name: string) => boolean): string {
  for (let n = 1; ; n++) if (!isTaken(`${name}_${n}`)) return `${name}_${n}`;
}

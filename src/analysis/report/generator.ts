// What a report says it is made by, and of which run: a newer one of that run may take the place of a file that says so.

export function generatorOf(run: string): string {
  return `icecore report of ${run}`;
}

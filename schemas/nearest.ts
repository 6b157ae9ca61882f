// Finds the known names that a misspelled name probably means.

/** Longer names are rarely misspelled, and the cost of comparing is the product of both lengths. */
const longestWord = 1_000;

/** The nearest name, or null if none is near. */
export function nearest(word: string, names: Iterable<string>): string | null {
  return nearestNames(word, names, 1)[0] ?? null;
}

/**
 * The names near to a word, nearest first. Names that the word begins, or that begin the word, count as near, and so does `out_of` for
 * the word `of`.
 */
export function nearestNames(word: string, names: Iterable<string>, most = 3): readonly string[] {
  if (word.length > longestWord) return [];
  const wanted = word.toLowerCase();
  const tolerated = Math.max(1, Math.floor(wanted.length / 3));
  return Array.from(new Set(names), (name) => ({ name, distance: distanceOf(wanted, name.toLowerCase(), tolerated) }))
    .filter(({ distance }) => distance <= tolerated)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name);
}

/** Asks whether one of the near names was meant; `otherwise`: what to say if there is none. */
export function didYouMean(names: readonly string[], otherwise: string): string {
  const last = names.at(-1);
  if (last === undefined) return otherwise;
  return `Did you mean ${names.length === 1 ? last : `${names.slice(0, -1).join(', ')} or ${last}`}?`;
}

/** The near names as part of a message about allowed values. */
export function suggestion(names: readonly string[]): string {
  return `perhaps ${names.map((name) => `"${name}"`).join(' or ')}`;
}

const shortestPrefix = 3;

function distanceOf(wanted: string, name: string, tolerated: number): number {
  const edits = editDistance(wanted, name);
  const shorter = Math.min(wanted.length, name.length);
  const begins = shorter >= shortestPrefix && (name.startsWith(wanted) || wanted.startsWith(name));
  const isPart = wanted !== '' && name.split('_').includes(wanted);
  return begins || isPart ? Math.min(edits, tolerated) : edits;
}

/** The number of letters to insert, remove, replace or swap with their neighbour to change one word into the other. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(beforeLast, j - 2) + 1 : replaced;
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, swapped));
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], j: number): number => row[j] ?? Number.POSITIVE_INFINITY;

// The numbers in an event's data by path, and copies with one number changed.
import type { Data } from './forging.ts';

export type Path = readonly (string | number)[];

export function* numbersIn(data: unknown, path: Path = []): Generator<Path> {
  if (typeof data === 'number') yield path;
  if (typeof data !== 'object' || data === null) return;
  for (const [key, member] of Object.entries(data)) {
    yield* numbersIn(member, [...path, Array.isArray(data) ? Number(key) : key]);
  }
}

/** As in field names: `curve[].values.kl`. */
export function fieldAt(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? '[]' : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

/** In place. */
export function withNumber(data: Data, path: Path, change: (before: number) => number): Data {
  const [last, ...before] = path.toReversed();
  const holder = before.toReversed().reduce<Data>((at, step) => at[step], data);
  holder[last as string] = change(holder[last as string]);
  return data;
}

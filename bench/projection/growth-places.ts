// The positions of a chart's points and of their values.

export type Scale = (value: number) => number;

/** Logarithmic; a single value is in the middle. */
export function scale(values: readonly number[], from: number, to: number): Scale {
  const [low, far] = [Math.log(Math.min(...values)), Math.log(Math.max(...values))];
  return (value) => (far === low ? (from + to) / 2 : from + ((Math.log(value) - low) / (far - low)) * (to - from));
}

export function decadesWithin(low: number, far: number): readonly number[] {
  const [first, last] = [Math.ceil(Math.log10(low)), Math.floor(Math.log10(far))];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => 10 ** (first + i));
}

const pitch = 15;
const steps = Array.from({ length: 15 }, (_, step) => step * 4);

/** Values in the column of their dots: each above its dot or below, without covering another. */
export function amongDots(dots: readonly number[], from: number, to: number): readonly number[] {
  const isClear = (place: number): boolean =>
    place >= from && place <= to && dots.every((dot) => Math.abs(place - 4 - dot) >= 11);
  return inOrder(
    dots,
    steps.flatMap((step) => [-10 - step, 19 + step]),
    isClear,
  );
}

/** Values in a separate column. */
export function besideDots(dots: readonly number[]): readonly number[] {
  const offsets = steps.map((step) => 4 + step);
  return inOrder(dots, offsets, () => true);
}

/** From the top down, keeping the order of their dots: the first offset with enough room. */
function inOrder(
  dots: readonly number[],
  offsets: readonly number[],
  isClear: (place: number) => boolean,
): readonly number[] {
  const places = [...dots];
  let last = Number.NEGATIVE_INFINITY;
  for (const [index, dot] of [...dots.entries()].sort(([, a], [, b]) => a - b)) {
    const isFree = (place: number): boolean => place >= last + pitch && isClear(place);
    last = offsets.map((offset) => dot + offset).find(isFree) ?? last + pitch;
    places[index] = last;
  }
  return places;
}

// What trainers measure, as people read it: which figures there are, what they are called, and how they are written.
import type { Point } from '../../../lab/trainers/trainer.ts';

type Score = Point['values'][string];

export interface Figure {
  /** As the trainer calls it. */
  readonly name: string;
  readonly label: string;
  /** A part of a whole: from 0 to 1, written in percent. */
  readonly isShare: boolean;
}

/** In the order in which they are shown; whatever else a trainer tells comes after them. */
const known: readonly Figure[] = [
  { name: 'valid', label: 'valid', isShare: true },
  { name: 'reward', label: 'reward', isShare: false },
  { name: 'entropy', label: 'entropy', isShare: false },
  { name: 'kl', label: 'KL', isShare: false },
  { name: 'signal', label: 'learning signal', isShare: true },
];

/** What these points tell of over all families, the known first. What is told of one family is called `valid/8`. */
export function figuresIn(points: readonly Point[]): readonly Figure[] {
  const told = new Set(points.flatMap(({ values }) => Object.keys(values).filter((name) => !name.includes('/'))));
  const others = [...told].filter((name) => !known.some((figure) => figure.name === name));
  return [
    ...known.filter(({ name }) => told.has(name)),
    ...others.map((name) => ({ name, label: name, isShare: false })),
  ];
}

/** The numbers of one figure, without those that are missing. */
export function numbersOf({ name }: Pick<Figure, 'name'>, points: readonly Point[]): readonly number[] {
  return points.flatMap(({ values }) => numberIn(values[name]) ?? []);
}

export function numberIn(score: Score | undefined): number | null {
  return typeof score === 'number' ? score : null;
}

export function written({ isShare }: Pick<Figure, 'isShare'>, score: Score | undefined): string {
  const number = numberIn(score);
  if (number === null) return score === undefined ? '' : 'none';
  return isShare ? percent(number) : String(Number(number.toPrecision(3)));
}

/** Small shares are not rounded to nothing. */
export function percent(share: number): string {
  const hundredths = 100 * share;
  const isFine = hundredths > 0 && hundredths < 9.95;
  return `${isFine ? Number(hundredths.toPrecision(2)) : Math.round(hundredths)} %`;
}

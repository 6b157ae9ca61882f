// How sure a share is that was counted: the score interval of Wilson, which holds all true shares that a count like this
// one is no surprise for. It is sound for few tries and for shares of none and all, too.

/** The interval holds the true share in so many of all evaluations. */
export const confidence = 0.95;

/** Of a normal distribution, so much lies within so many standard deviations to either side. */
export const z = 1.959963984540054;

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** `count` of `of` tries, of which there is at least one; as wide as so many deviations of a normal distribution. */
export function wilson(count: number, of: number, deviations: number = z): Interval {
  const share = count / of;
  const shrunk = 1 + deviations ** 2 / of;
  const middle = (share + deviations ** 2 / (2 * of)) / shrunk;
  const half = (deviations * Math.sqrt((share * (1 - share)) / of + (deviations / (2 * of)) ** 2)) / shrunk;
  return { low: count === 0 ? 0 : middle - half, high: count === of ? 1 : middle + half };
}

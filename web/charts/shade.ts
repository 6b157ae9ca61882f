// How strongly a cell is shaded. Shading starts where uncertainty ends: a difference that is no larger than its 95 % interval
// allows has no shade, so that noise does not look like a result.

/** A value and what it is compared with. */
export interface Compared {
  readonly value: number;
  readonly baseline: number;
  /** The part of their difference that chance can explain: from the difference to the end of its 95 % interval nearest to 0. */
  readonly margin: number;
}

/**
 * From -1 to 1: the part of the difference beyond its margin as a share of `full`, negative if the value is below the baseline.
 * 0 if there is no such part.
 */
export function shade({ value, baseline, margin }: Compared, full: number): number {
  const difference = value - baseline;
  const certain = certainPart(difference, margin);
  return certain === 0 ? 0 : Math.sign(difference) * Math.min(1, certain / full);
}

/** The largest part of a difference beyond its margin; 0 if there is none. It makes a shade of 1 the strongest of a chart. */
export function largestCertain(all: readonly Compared[]): number {
  return Math.max(0, ...all.map(({ value, baseline, margin }) => certainPart(value - baseline, margin)));
}

function certainPart(difference: number, margin: number): number {
  return Math.max(0, Math.abs(difference) - margin);
}

/** A rate with its 95 % interval. */
interface Rate {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** Two independent rates, by Newcombe's interval for their difference; null if an interval is missing. */
export function comparedRates(rate: Rate | undefined, baseline: Rate | undefined): Compared | null {
  const [one, other] = [completeRate(rate), completeRate(baseline)];
  if (one === null || other === null) return null;
  const isHigher = one.value >= other.value;
  const [own, others] = isHigher
    ? [one.value - one.low, other.high - other.value]
    : [one.high - one.value, other.value - other.low];
  return { value: one.value, baseline: other.value, margin: Math.hypot(own, others) };
}

function completeRate({ value = null, low = null, high = null }: Partial<Rate> = {}) {
  return value === null || low === null || high === null ? null : { value, low, high };
}

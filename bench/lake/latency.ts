// Times of single instances: the median, the 99th percentile and the maximum, and their formatting.
import { median } from '../measure.ts';

export interface Latency {
  readonly median: number;
  readonly p99: number;
  readonly worst: number;
}

/** Of the times in microseconds of one round. */
export function latencyOf(microseconds: Float64Array): Latency {
  const sorted = microseconds.toSorted();
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { median: at(0.5), p99: at(0.99), worst: at(1) };
}

/** The medians of the rounds, and the overall maximum. */
export function overall(rounds: readonly Latency[]): Latency {
  return {
    median: tenths(median(rounds.map((round) => round.median))),
    p99: tenths(median(rounds.map((round) => round.p99))),
    worst: tenths(Math.max(...rounds.map(({ worst }) => worst))),
  };
}

export function duration(microseconds: number): string {
  if (microseconds < 1000) return `${microseconds.toPrecision(3)} us`;
  if (microseconds < 1_000_000) return `${(microseconds / 1000).toPrecision(3)} ms`;
  return `${(microseconds / 1_000_000).toPrecision(3)} s`;
}

const tenths = (value: number): number => Math.round(value * 10) / 10;

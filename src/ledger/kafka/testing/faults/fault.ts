// A fault, tried once: what was wrong afterwards.
import type { FaultBench } from './bench.ts';

/** From 0 to 1, for a purpose: the same purpose, the same number. */
export type Drawn = (purpose: string) => number;

export type Fault = (bench: FaultBench, drawn: Drawn) => Promise<readonly string[]>;

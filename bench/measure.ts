// Measuring side by side: every contender runs in every round, in turn, so that a machine that slows down slows all of
// them; what is reported is the median of each and the median of the ratios of one round.

export interface Contender {
  readonly name: string;
  /** Does the work of a round. */
  run(round: number): Promise<Done> | Done;
}

export interface Done {
  readonly units: number;
  readonly milliseconds: number;
}

/** A stopwatch that runs only while the work itself is done, not while its material is made. */
export class Stopwatch {
  #total = 0;

  get milliseconds(): number {
    return this.#total;
  }

  async time(work: () => Promise<unknown> | unknown): Promise<void> {
    const started = performance.now();
    const pending = work();
    if (pending instanceof Promise) await pending;
    this.#total += performance.now() - started;
  }
}

/** The work says how many units it was. */
export async function timed(work: () => Promise<number> | number): Promise<Done> {
  const started = performance.now();
  const units = await work();
  return { units, milliseconds: performance.now() - started };
}

export interface Measured {
  readonly name: string;
  /** Median units of work per second. */
  readonly perSecond: number;
  /** Median over the rounds of this contender's rate to the first one's. */
  readonly ratio: number;
}

export async function sideBySide(contenders: readonly Contender[], rounds: number): Promise<Measured[]> {
  const rates = contenders.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      globalThis.gc?.();
      const { units, milliseconds } = await contender.run(round);
      rates[index]?.push((units / milliseconds) * 1000);
    }
  }
  const [first = []] = rates;
  return contenders.map(({ name }, index) => {
    const own = rates[index] ?? [];
    const ratio = median(own.map((rate, round) => rate / (first[round] ?? Number.NaN)));
    return { name, perSecond: Math.round(median(own)), ratio: Math.round(ratio * 100) / 100 };
  });
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

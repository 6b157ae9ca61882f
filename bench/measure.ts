// Measures side by side: all contenders run in every round, in turn, so that a slow machine affects all of them. Reports the median of each,
// and the median of the ratios within a round.

export interface Contender {
  readonly name: string;
  /** Does the work of a round. */
  run(round: number): Promise<Done> | Done;
}

export interface Done {
  readonly units: number;
  readonly milliseconds: number;
  /** Of processor time, on all threads of this process; absent if another process did the work. */
  readonly cpuMilliseconds?: number;
}

/** A stopwatch that runs only during the work itself, not during its preparation. */
export class Stopwatch {
  #total = 0;
  #cpuTotal = 0;

  get milliseconds(): number {
    return this.#total;
  }

  done(units: number): Done {
    return { units, milliseconds: this.#total, cpuMilliseconds: this.#cpuTotal };
  }

  async time(work: () => Promise<unknown> | unknown): Promise<void> {
    const [started, used] = [performance.now(), process.cpuUsage()];
    const pending = work();
    if (pending instanceof Promise) await pending;
    this.#total += performance.now() - started;
    const { user, system } = process.cpuUsage(used);
    this.#cpuTotal += (user + system) / 1000;
  }
}

/** The work returns its number of units. */
export async function timed(work: () => Promise<number> | number): Promise<Done> {
  const watch = new Stopwatch();
  let units = 0;
  await watch.time(async () => {
    units = await work();
  });
  return watch.done(units);
}

export interface Measured {
  readonly name: string;
  /** Median units of work per second. */
  readonly perSecond: number;
  /** Median over the rounds of this contender's rate relative to the first one's. */
  readonly ratio: number;
  /** The same per second of processor time, which other programs affect less; NaN if unknown. */
  readonly cpuRatio: number;
}

export async function sideBySide(contenders: readonly Contender[], rounds: number): Promise<Measured[]> {
  const rates = contenders.map((): number[] => []);
  const cpuRates = contenders.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      globalThis.gc?.();
      const { units, milliseconds, cpuMilliseconds = Number.NaN } = await contender.run(round);
      rates[index]?.push((units / milliseconds) * 1000);
      cpuRates[index]?.push((units / cpuMilliseconds) * 1000);
    }
  }
  return contenders.map(({ name }, index) => ({
    name,
    perSecond: Math.round(median(rates[index] ?? [])),
    ratio: toFirst(rates, index),
    cpuRatio: toFirst(cpuRates, index),
  }));
}

function toFirst([first = [], ...others]: readonly (readonly number[])[], index: number): number {
  const own = [first, ...others][index] ?? [];
  return Math.round(median(own.map((rate, round) => rate / (first[round] ?? Number.NaN))) * 100) / 100;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

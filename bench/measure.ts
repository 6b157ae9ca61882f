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
  /** Of processor time, on all threads of this process; absent where another process did the work. */
  readonly cpuMilliseconds?: number;
}

/** A stopwatch that runs only while the work itself is done, not while its material is made. */
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

/** The work says how many units it was. */
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
  /** Median over the rounds of this contender's rate to the first one's. */
  readonly ratio: number;
  /** The same of units per second of processor time, which other programs on the machine change less; NaN where it is not known. */
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

// A process with a wrong clock.

/** Moves all clocks of this process except the monotonic one ahead by this number of hours. */
export function skewClock(hours: number): void {
  const Right = Date;
  const skew = hours * 3_600_000;
  globalThis.Date = class extends Right {
    constructor(...given: [] | [number | string | Date]) {
      super(given[0] ?? Right.now() + skew);
    }

    static override now(): number {
      return Right.now() + skew;
    }
  } as DateConstructor;
}

// A process whose clock is wrong.

/** From now on every clock of this process but the monotonic one is so many hours ahead. */
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

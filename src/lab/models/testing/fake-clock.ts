// A clock that a test winds: pauses are over at once and are noted, limits ring when the test says that time is up.
import type { Clock } from '../clock.ts';

/** Whatever takes longer is a limit. Entries of tests give their limits accordingly. */
const longestPause = 500_000;

interface Alarm {
  readonly at: number;
  readonly ring: () => void;
}

export class FakeClock implements Clock {
  /** The pauses that were made, in milliseconds. */
  readonly pauses: number[] = [];
  #now = Date.UTC(2030, 0, 1);
  readonly #alarms = new Set<Alarm>();

  now(): number {
    return this.#now;
  }

  after(ms: number, ring: () => void): () => void {
    const alarm = { at: this.#now + ms, ring };
    this.#alarms.add(alarm);
    if (ms < longestPause) setImmediate(() => this.#passOver(alarm, ms));
    return () => this.#alarms.delete(alarm);
  }

  /** So much time passes at once. */
  advance(ms: number): void {
    this.#now += ms;
    for (const alarm of this.#alarms) if (alarm.at <= this.#now) this.#ring(alarm);
  }

  /** How many limits may still ring. */
  get alarms(): number {
    return this.#alarms.size;
  }

  #passOver(alarm: Alarm, ms: number): void {
    if (!this.#alarms.has(alarm)) return;
    this.pauses.push(ms);
    this.#now = Math.max(this.#now, alarm.at);
    this.#ring(alarm);
  }

  #ring(alarm: Alarm): void {
    this.#alarms.delete(alarm);
    alarm.ring();
  }
}

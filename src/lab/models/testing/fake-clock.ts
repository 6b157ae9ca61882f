// A clock controlled by a test: pauses end at once and are recorded, timeouts fire on request.
import type { Clock } from '../clock.ts';

/** Longer delays are timeouts. Entries in tests set their limits accordingly. */
const longestPause = 500_000;

interface Alarm {
  readonly at: number;
  readonly ring: () => void;
}

export class FakeClock implements Clock {
  /** The pauses so far, in milliseconds. */
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

  /** Advances by this time at once. */
  advance(ms: number): void {
    this.#now += ms;
    for (const alarm of this.#alarms) if (alarm.at <= this.#now) this.#ring(alarm);
  }

  /** The number of pending timeouts. */
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

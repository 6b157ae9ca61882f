// Finds run events by id: an index in memory of all streams except evidence, built on first use and updated by reading the new
// events of these streams. Evidence is found through the tables instead.
import { idDigits, plainId } from '../event.ts';
import type { StoredEvent } from '../stored.ts';
import type { Calls } from './calls.ts';
import type { Reading } from './reading.ts';

interface Place {
  readonly stream: string;
  readonly revision: number;
}

export class IdIndex {
  readonly #calls: Calls;
  readonly #reading: Reading;
  readonly #places = new Map<string, Place>();
  /** The next revision, by stream. */
  readonly #read = new Map<string, number>();
  #running: Promise<void> | null = null;

  constructor(calls: Calls, reading: Reading) {
    this.#calls = calls;
    this.#reading = reading;
  }

  async find(id: string, limit: number, signal: AbortSignal): Promise<readonly StoredEvent[]> {
    const digits = idDigits(id);
    if (digits === null) return [];
    this.#running ??= this.#update(signal).finally(() => {
      this.#running = null;
    });
    await this.#running;
    const found: StoredEvent[] = [];
    for (const { stream, revision } of this.#placesOf(digits, limit)) {
      const range = { from: revision, to: revision };
      for await (const events of this.#reading.stream(stream, range, signal)) found.push(...events);
    }
    return found;
  }

  #placesOf(digits: string, limit: number): readonly Place[] {
    const exact = this.#places.get(digits);
    if (exact !== undefined || digits.length === 32) return exact === undefined ? [] : [exact];
    const found = [...this.#places].filter(([id]) => id.startsWith(digits));
    return found.slice(0, limit).map(([, place]) => place);
  }

  async #update(signal: AbortSignal): Promise<void> {
    for await (const ends of this.#calls.streams('', signal)) {
      for (const { stream, revision } of ends) {
        const next = this.#read.get(stream) ?? 0;
        if (stream.startsWith('evidence-') || next > revision) continue;
        for await (const events of this.#calls.readStream(stream, { from: next }, signal)) {
          for (const event of events) this.#places.set(plainId(event.id), { stream, revision: event.revision });
          this.#read.set(stream, (events.at(-1)?.revision ?? revision) + 1);
        }
      }
    }
  }
}

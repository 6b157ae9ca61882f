// Ids in stores without an index of them: finding run events by id, and finding repeated ids.
import { getOrCreate } from '../../base/get-or-create.ts';
import { idDigits, plainId } from '../event.ts';
import { Turns } from '../turns.ts';
import type { Calls } from './retry.ts';

export interface IdPlace {
  readonly stream: string;
  readonly revision: number;
}

/**
 * An index in memory of all streams except evidence, built on first use and updated by reading the new events of these streams.
 * Evidence is found through the tables instead.
 */
export class IdIndex {
  readonly #calls: Calls;
  readonly #places = new Map<string, IdPlace>();
  /** The next revision, by stream. */
  readonly #read = new Map<string, number>();
  readonly #turns = new Turns();

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  async find(id: string, limit: number, signal: AbortSignal): Promise<readonly IdPlace[]> {
    const digits = idDigits(id);
    if (digits === null) return [];
    await this.#turns.take(() => this.#update(signal), signal);
    const exact = this.#places.get(digits);
    if (exact !== undefined) return [exact];
    const found = [...this.#places].filter(([known]) => known.startsWith(digits));
    return found.slice(0, limit).map(([, place]) => place);
  }

  async #update(signal: AbortSignal): Promise<void> {
    for (const { stream, revision } of await this.#calls.make((log) => log.streams('', signal), signal)) {
      const next = this.#read.get(stream) ?? 0;
      if (stream.startsWith('evidence-') || next > revision) continue;
      for await (const events of this.#calls.readStream(stream, { from: next }, signal)) {
        for (const event of events) this.#places.set(plainId(event.id), { stream, revision: event.revision });
        this.#read.set(stream, (events.at(-1)?.revision ?? revision) + 1);
      }
    }
  }
}

export interface RepeatedId {
  /** Its 32 digits. */
  readonly id: string;
  readonly first: IdPlace;
  readonly other: IdPlace;
}

/** The ids of a stream's events, in pages. */
export type IdsOf = (
  stream: string,
) => AsyncIterable<readonly { readonly revision: number; readonly filedId: string }[]>;

/** Keeps a hash of each id, eight bytes per event, by stream and revision; only streams with a repeated hash are read again. */
export class RepeatedIds {
  readonly #hashes = new Map<string, Float64Array>();

  add(stream: string, revision: number, id: string): void {
    let hashes = this.#hashes.get(stream) ?? new Float64Array(64);
    if (revision >= hashes.length) {
      const larger = new Float64Array(2 * revision);
      larger.set(hashes);
      hashes = larger;
    }
    hashes[revision] = hashOf(id);
    this.#hashes.set(stream, hashes);
  }

  /** `mayShare`: whether the second of two places may have the same id as the first. */
  async *find(idsOf: IdsOf, mayShare: (a: IdPlace, b: IdPlace) => boolean = () => false): AsyncGenerator<RepeatedId> {
    const repeats = (places: readonly IdPlace[]): readonly Omit<RepeatedId, 'id'>[] =>
      places.flatMap((other, index) => {
        const first = places.slice(0, index).find((earlier) => !mayShare(earlier, other));
        return first === undefined ? [] : [{ first, other }];
      });
    const suspects = new Map([...this.#placesOfRepeated()].filter(([, places]) => repeats(places).length > 0));
    const streams = new Set([...suspects.values()].flatMap((places) => places.map(({ stream }) => stream)));
    const byId = new Map<string, IdPlace[]>();
    for (const stream of streams) {
      for await (const events of idsOf(stream)) {
        for (const { revision, filedId } of events) {
          if (suspects.has(hashOf(filedId))) getOrCreate(byId, filedId, () => []).push({ stream, revision });
        }
      }
    }
    for (const [id, places] of byId) for (const repeat of repeats(places)) yield { id, ...repeat };
  }

  #placesOfRepeated(): ReadonlyMap<number, readonly IdPlace[]> {
    const all = new Float64Array([...this.#hashes.values()].reduce((sum, { length }) => sum + length, 0));
    let count = 0;
    for (const hashes of this.#hashes.values()) {
      all.set(hashes, count);
      count += hashes.length;
    }
    all.sort();
    // A place without a hash has no event.
    const repeated = new Set(all.filter((hash, index) => hash !== 0 && hash === all[index - 1]));
    const places = new Map<number, IdPlace[]>();
    if (repeated.size === 0) return places;
    for (const [stream, hashes] of this.#hashes) {
      for (const [revision, hash] of hashes.entries()) {
        if (repeated.has(hash)) getOrCreate(places, hash, () => []).push({ stream, revision });
      }
    }
    return places;
  }
}

/** 53 bits of an id of 32 digits: ids of one stage differ in the last 32 bits, those of different runs and stages in the others. */
function hashOf(id: string): number {
  let others = 0;
  for (const digit of [0, 8, 16])
    others = Math.imul(others ^ Number.parseInt(id.slice(digit, digit + 8), 16), 0x9e3779b1);
  return (others >>> 11) * 2 ** 32 + Number.parseInt(id.slice(24), 16);
}

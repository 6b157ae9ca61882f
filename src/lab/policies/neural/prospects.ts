// What every cell looks like to every agent of one instance, as sums of the first layer: looked at once, when an agent
// first stands there, and not again for all plans that follow.
import type { Cell, Instance } from '../../lake/instance.ts';
import { staticFeatures } from './features.ts';
import { addFeatures, hidden, setToFirstBias } from './network.ts';

export class Prospects {
  readonly #weights: Float64Array;
  #instance: Instance = { size: 0, holes: new Uint8Array(0), agents: [] };
  /** By agent and cell: its place in `sums`, -1 where it was not looked at. */
  #slots = new Int32Array(0);
  #count = 0;
  sums = new Float64Array(0);
  /** By slot. */
  readonly features: (readonly number[])[] = [];

  constructor(weights: Float64Array) {
    this.#weights = weights;
  }

  load(instance: Instance): void {
    this.#instance = instance;
    const entries = instance.agents.length * instance.size ** 2;
    if (this.#slots.length < entries) this.#slots = new Int32Array(entries);
    this.forget();
  }

  forget(): void {
    this.#slots.fill(-1);
    this.#count = 0;
    this.features.length = 0;
  }

  slot(agent: number, cell: Cell): number {
    const entry = agent * this.#instance.size ** 2 + cell;
    const known = this.#slots[entry] as number;
    if (known >= 0) return known;
    const slot = this.#count++;
    this.#slots[entry] = slot;
    if (this.sums.length < this.#count * hidden) {
      const wider = new Float64Array(2 * this.#count * hidden);
      wider.set(this.sums);
      this.sums = wider;
    }
    const features = staticFeatures(this.#instance, agent, cell);
    this.features.push(features);
    setToFirstBias(this.#weights, this.sums, slot * hidden);
    addFeatures(this.#weights, features, features.length, this.sums, slot * hidden);
    return slot;
  }
}

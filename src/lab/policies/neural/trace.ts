// What was computed on the way to plans, step by step: all that learning from them needs.
import { moves } from './features.ts';
import { hidden } from './network.ts';

/** More moving features than this no agent step has; two for what was done last, and two for every other agent. */
const mostFeatures = 2 + 2 * 25;

export class Trace {
  count = 0;
  slots = new Int32Array(0);
  features = new Int16Array(0);
  featureCounts = new Int8Array(0);
  firsts = new Float64Array(0);
  seconds = new Float64Array(0);
  chances = new Float64Array(0);
  values = new Float64Array(0);
  entropies = new Float64Array(0);
  taken = new Int8Array(0);
  static readonly stride = mostFeatures;

  clear(): void {
    this.count = 0;
  }

  add(
    slot: number,
    features: Int16Array,
    featureCount: number,
    firsts: Float64Array,
    seconds: Float64Array,
    chances: Float64Array,
    value: number,
    entropy: number,
    move: number,
  ): void {
    if (this.count === this.slots.length) this.#widen();
    const n = this.count++;
    this.slots[n] = slot;
    this.featureCounts[n] = featureCount;
    for (let f = 0; f < featureCount; f++) this.features[n * mostFeatures + f] = features[f] as number;
    this.firsts.set(firsts, n * hidden);
    this.seconds.set(seconds, n * hidden);
    this.chances.set(chances, n * moves);
    this.values[n] = value;
    this.entropies[n] = entropy;
    this.taken[n] = move;
  }

  #widen(): void {
    const places = Math.max(1024, 2 * this.slots.length);
    const wider = <T extends Int32Array | Int16Array | Int8Array | Float64Array>(old: T, made: T): T => {
      made.set(old);
      return made;
    };
    this.slots = wider(this.slots, new Int32Array(places));
    this.features = wider(this.features, new Int16Array(places * mostFeatures));
    this.featureCounts = wider(this.featureCounts, new Int8Array(places));
    this.firsts = wider(this.firsts, new Float64Array(places * hidden));
    this.seconds = wider(this.seconds, new Float64Array(places * hidden));
    this.chances = wider(this.chances, new Float64Array(places * moves));
    this.values = wider(this.values, new Float64Array(places));
    this.entropies = wider(this.entropies, new Float64Array(places));
    this.taken = wider(this.taken, new Int8Array(places));
  }
}

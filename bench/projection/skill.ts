// The skill of a simulated policy: the share of tasks of each family that it solves. Training improves a family, and others are slowly
// forgotten, so that curricula lead to different results.
import type { EventData } from '../../schemas/catalogue.ts';
import { Random } from '../../src/lab/random.ts';

type Configuration = EventData['ConfigAdopted']['configuration'];

const easiest = -0.9;
const harderBy = 0.35;
const mostGained = 0.55;
/** A family with this share of the data gains half of the maximum. */
const halfGained = 0.1;
const forgotten = 0.12;

export class Skill {
  readonly #families: readonly string[];
  readonly #levels: Map<string, number>;

  /** Families from the easiest to the hardest. */
  constructor(families: readonly string[]) {
    this.#families = families;
    this.#levels = new Map(families.map((family, i) => [family, easiest - harderBy * i]));
  }

  train(configuration: Configuration, seed: string): void {
    const random = new Random(seed, 'skill');
    const shares = sharesIn(configuration);
    for (const family of this.#families) {
      const share = shares.get(family) ?? 0;
      const gained = mostGained * (share / (share + halfGained)) * (0.6 + 0.8 * random.fraction());
      this.#levels.set(family, (this.#levels.get(family) ?? 0) + gained - (share < 0.02 ? forgotten : 0));
    }
  }

  /** From 0 to 1. */
  rate(family: string): number {
    return 1 / (1 + Math.exp(-(this.#levels.get(family) ?? 0)));
  }
}

/** The share of the training data by family. */
export function sharesIn({ knobs }: Configuration): ReadonlyMap<string, number> {
  return new Map(
    knobs.flatMap(({ knob, family, value }) => (family !== null && knob.endsWith('.data') ? [[family, value]] : [])),
  );
}

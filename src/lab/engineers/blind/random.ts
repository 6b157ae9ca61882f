// Every knob anywhere in its range, shares of all sizes: what change alone does, without any sense in it.
import type { Knob } from '../../../../schemas/environment.ts';
import type { Configuration } from '../../environments/environment.ts';
import { withKnob } from '../../environments/knobs.ts';
import { Random } from '../../random.ts';
import type { Asked } from '../engineer.ts';
import { blindEngineer } from './proposing.ts';

export const random = blindEngineer('random', 'drawn at random', drawn);

function drawn({ descriptor, current, stage, sample, seed }: Asked): Configuration {
  const chance = new Random(seed, 'engineer', 'random', stage, sample);
  let result = current;
  for (const knob of descriptor.knobs) result = withKnob(result, knob, settingOf(knob, chance));
  for (const { knobs: names, total } of descriptor.sharesSum ?? []) {
    const shares = descriptor.knobs.filter(({ name }) => names.includes(name));
    // All ways to share a whole are equally likely.
    const parts = shares.map(() => -Math.log(1 - chance.fraction()));
    const sum = parts.reduce((sum, part) => sum + part, 0);
    shares.forEach((knob, i) => {
      result = withKnob(result, knob, (total * (parts[i] as number)) / sum);
    });
  }
  return result;
}

/** A whole number of steps from the least, as somebody would write it. */
function settingOf({ range: { min, max }, step }: Knob, chance: Random): number {
  const steps = Math.floor((max - min) / step + 1e-9);
  const value = min + step * chance.below(steps + 1);
  return Math.min(Number(value.toPrecision(12)), max);
}

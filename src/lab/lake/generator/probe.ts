// The probe pool: the same number of instances of every kind of the knob space that exists at all, whatever share of the
// training data a size has, so that there is evidence about what is not trained.
import type { Split } from '../../environments/environment.ts';
import { configurableSizes } from '../configuration.ts';
import { type Batch, fill, type Instances } from './generate.ts';
import { holeLevelsOf, type Kind } from './kind.ts';

interface Wanted {
  readonly split: Split;
  readonly seed: string;
}

export function probe(agents: number, perKind: number, wanted: Wanted): Instances {
  return fill(probeBatch(agents, perKind, wanted));
}

export function probeBatch(agents: number, perKind: number, wanted: Wanted): Batch {
  return { orders: kindsOf(agents).map((kind) => ({ kind, count: perKind })), wanted };
}

function kindsOf(agents: number): Kind[] {
  return configurableSizes.flatMap((size) =>
    [false, true].flatMap((needsWait) => holeLevelsOf(size).map((holes) => ({ size, agents, holes, needsWait }))),
  );
}

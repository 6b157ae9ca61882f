// Random histories that the catalogue allows, to compare tables with other ways to compute them.
import fc, { type Arbitrary } from 'fast-check';
import { writeAblation, writeAnswer } from './random/ablations.ts';
import { type Run, writeRun } from './random/runs.ts';
import { Draw } from './random/words.ts';
import { World } from './random/world.ts';

export { type World, writeWorld } from './random/world.ts';

/** Identities that could be confused with one another, in names of streams or of runs. */
const ids = ['a', 'a-1', 'a-1-1', 'same', 'run.x', 'evidence-a', 'zz', '1', '2', 'null', 'work-a', 'x_y'];

export function randomHistory(runs = ids.length): Arbitrary<World> {
  // Ensures that probabilities are as specified.
  return fc.noBias(fc.gen()).map((value) => {
    const world = new World(new Draw(value));
    const written: Run[] = [];
    const { draw } = world;
    const wanted = draw.below(Math.min(runs, ids.length) + 1);
    for (const run of draw.shuffled(ids).slice(0, wanted)) written.push(writeRun(world, run, written, ids));
    for (const [place] of draw.many(3, (index) => index).entries()) writeAnswer(world, place, written);
    if (written.length > 0) for (const ablation of draw.some(['a', 'abl'], 50)) writeAblation(world, ablation, written);
    return world;
  });
}

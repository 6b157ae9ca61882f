// The contract: a task belongs to one split, whatever was asked for.
import { describe, expect, it } from 'vitest';
import { adjusted } from '../configuration.ts';
import { type Configuration, type Environment, type Split, type Task, taskDigest } from '../environment.ts';
import { withKnob } from '../knobs.ts';
import { type Bench, collected } from './fixture.ts';

const splits: readonly Split[] = ['train', 'probe', 'probe-holdout', 'validation', 'test'];

export function splitting(bench: Bench): void {
  describe('splits', () => {
    it('no task of one split is in another, whatever the configurations and seeds, nor its mirror image', async () => {
      const environment = bench.environment();
      const splitOf = new Map<string, Split>();
      const strays: string[] = [];
      for await (const { split, task } of everything(environment, bench)) {
        for (const key of keysOf(task)) {
          const before = splitOf.get(key) ?? split;
          if (before !== split) strays.push(`${JSON.stringify(task.instance)} is in ${before} and in ${split}`);
          splitOf.set(key, before);
        }
      }
      expect(strays).toEqual([]);
      expect(new Set(splitOf.values())).toEqual(new Set(splits));
    });

    it('outside of training no task comes twice', async () => {
      const { generate, start } = bench.environment();
      for (const split of splits.filter((split) => split !== 'train')) {
        const { tasks } = await collected(generate({ configuration: start, split, count: bench.many, seed: 'a' }));
        expect(new Set(tasks.map(taskDigest)).size).toBe(tasks.length);
      }
    });
  });
}

async function* everything(
  environment: Environment,
  { many, lacks, suite }: Bench,
): AsyncGenerator<{ split: Split; task: Task }, void, undefined> {
  const configurations = [environment.start, ...ends(environment)];
  for (const [i, configuration] of configurations.entries()) {
    for (const split of splits) {
      const request = { configuration, split, count: Math.ceil(many / 2), seed: `seed ${i}` };
      for await (const task of environment.generate(request)) yield { split, task };
    }
  }
  for (const split of ['probe', 'probe-holdout'] as const) {
    if (lacks?.includes('probe')) continue;
    const request = { configuration: environment.start, split, perCell: 2, seed: 'a' };
    for await (const task of environment.probe(request)) yield { split, task };
  }
  for (const { name } of environment.suites)
    for (const task of (await suite(name)).tasks) yield { split: 'test', task };
}

/** Everything as easy as it can be, and everything as hard; shares are left alone. */
function ends({ descriptor, start }: Environment): Configuration[] {
  const shares = new Set(descriptor.sharesSum?.flatMap(({ knobs }) => knobs));
  const turned = descriptor.knobs.filter(({ name }) => !shares.has(name));
  return (['min', 'max'] as const).map(
    (end) =>
      adjusted(
        descriptor,
        turned.reduce((all, knob) => withKnob(all, knob, knob.range[end]), start),
      ).configuration,
  );
}

function keysOf(task: Task): string[] {
  const { symmetryDigest } = task;
  return symmetryDigest === undefined ? [taskDigest(task)] : [taskDigest(task), `symmetry ${symmetryDigest}`];
}

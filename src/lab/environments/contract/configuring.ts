// The contract: what an environment takes for a configuration.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldOf } from '../../../../schemas/phrase.ts';
import { adjusted } from '../configuration.ts';
import { BadConfiguration } from '../environment.ts';
import { withKnob } from '../knobs.ts';
import { type Bench, collected } from './fixture.ts';

export function configuring(bench: Bench): void {
  describe('configurations', () => {
    it('a knob out of its range is told by its place, and nothing is generated', async () => {
      const { descriptor, start, check, generate } = bench.environment();
      for (const knob of descriptor.knobs) {
        const { min, max } = knob.range;
        for (const value of [max + 1, min - 1]) {
          const configuration = withKnob(start, knob, value);
          expect(check(configuration)).toContainEqual(expect.objectContaining({ field: fieldOf(knob.path) }));
          const tasks = generate({ configuration, split: 'train', count: 1, seed: 'a' });
          await expect(tasks.next()).rejects.toThrow(BadConfiguration);
        }
      }
    });

    it('a knob that is no number is told by its place', () => {
      const { descriptor, start, check } = bench.environment();
      for (const knob of descriptor.knobs) {
        for (const value of ['0.5', null, Number.NaN]) {
          const configuration = withKnob(start, knob, value as number);
          expect(check(configuration)).toContainEqual(expect.objectContaining({ field: fieldOf(knob.path) }));
        }
      }
    });

    it('whatever is handed in is told of, and never thrown over', () => {
      const { check, descriptor } = bench.environment();
      if (descriptor.knobs.length === 0) return;
      fc.assert(
        fc.property(fc.anything({ withNullPrototype: true }), (value) => {
          expect(check(value)).not.toEqual([]);
        }),
      );
    });

    it('whatever an engineer proposes can be used once it is brought to where the descriptor allows it to be', () => {
      const { descriptor, start, check } = bench.environment();
      const values = fc.tuple(...descriptor.knobs.map(({ range }) => fc.double({ ...range, noNaN: true })));
      fc.assert(
        fc.property(values, (values) => {
          const proposed = descriptor.knobs.reduce((all, knob, i) => withKnob(all, knob, values[i] as number), start);
          expect(check(adjusted(descriptor, proposed).configuration)).toEqual([]);
        }),
      );
    });

    it('what it generates depends on the configuration: a family without a share has no tasks', async () => {
      const { descriptor, start, generate } = bench.environment();
      for (const { knobs: names, total } of descriptor.sharesSum ?? []) {
        for (const alone of names) {
          const shares = descriptor.knobs.filter(({ name }) => names.includes(name));
          if (shares.some(({ range, name }) => (name === alone ? range.max < total : range.min > 0))) continue;
          const configuration = shares.reduce(
            (all, knob) => withKnob(all, knob, knob.name === alone ? total : 0),
            start,
          );
          const { tasks } = await collected(generate({ configuration, split: 'train', count: 12, seed: 'a' }));
          const family = shares.find(({ name }) => name === alone)?.family;
          expect(new Set(tasks.map((task) => task.family))).toEqual(new Set([family]));
        }
      }
    });
  });
}

// Consistent descriptors and configurations for property tests.
import fc from 'fast-check';
import type { Descriptor, Knob } from '../../../../schemas/environment.ts';
import type { Configuration } from '../environment.ts';
import { withKnob } from '../knobs.ts';

/** A descriptor of families with a share, an integer level and a ratio each, and one knob without a family. */
export const descriptors: fc.Arbitrary<Descriptor> = fc
  .record({
    families: fc.integer({ min: 1, max: 5 }),
    whole: fc.boolean(),
    slack: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 10, maxLength: 10 }),
  })
  .map(({ families, whole, slack }) => descriptorOf(families, whole, slack));

function descriptorOf(families: number, whole: boolean, slack: readonly number[]): Descriptor {
  const total = whole ? 100 : 1;
  const even = total / families;
  const shares = Array.from({ length: families }, (_, i): Knob => {
    const min = even * (slack[i] as number);
    const max = even + (total - even) * (slack[i + 5] as number);
    return {
      ...knob(`g${i}`, 'share', whole ? Math.floor(min) : min, whole ? Math.ceil(max) : max),
      step: whole ? 1 : Math.min(0.05, max - min) || 0.05,
      ...(whole ? { integer: true } : {}),
    };
  });
  return {
    environment: 'made-up',
    knobs: [
      ...shares.flatMap((share, i) => [
        share,
        { ...knob(`g${i}`, 'level', 1, 9), step: 1, integer: true },
        knob(`g${i}`, 'ratio', 0, 0.4),
      ]),
      { ...knob('', 'players', 2, 5), name: 'players', path: ['players'], family: null, step: 1, integer: true },
    ],
    sharesSum: [{ knobs: shares.map(({ name }) => name), total }],
    families: shares.map(({ family }) => ({ family: family as string })),
    failed: { all: [{ field: ['success'], equals: false }] },
    failureClass: { field: ['failureClass'] },
    family: { field: ['family'] },
  };
}

function knob(family: string, name: string, min: number, max: number): Knob {
  return {
    name: `${family}.${name}`,
    path: ['families', family, name],
    meaning: '',
    family,
    range: { min, max },
    step: 0.05,
  };
}

/** A number for every knob, valid or not. */
export function proposalsFor({ knobs }: Descriptor): fc.Arbitrary<Configuration> {
  const values = knobs.map(({ range: { min, max } }) => {
    const wide = fc.double({ min: min - (max - min), max: max + (max - min), noNaN: true });
    return fc.oneof(wide, fc.constantFrom(min, max, 0), fc.integer({ min: -3, max: 120 }));
  });
  return fc
    .tuple(...values)
    .map((chosen) => knobs.reduce((all, knob, i) => withKnob(all, knob, chosen[i] as number), start));
}

const start: Configuration = { seedWords: ['any'] };

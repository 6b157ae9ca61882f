import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventTypes } from './catalogue.ts';
import { type EventType, eventType, nextVersion } from './family.ts';
import { fingerprints } from './fingerprints.ts';
import { fingerprintOf } from './testing/fingerprints.ts';

const celsius = z.strictObject({ celsius: z.number(), depths: z.array(z.number()).optional() });
const kelvin = z.strictObject({ kelvin: z.number(), depths: z.array(z.number()) });
const about = { type: 'IceMeasured', code: 250, in: ['notes'], stage: 'maybe', summary: 'Measured.' } as const;
const first = eventType({ ...about, in: ['notes'], data: celsius });

type Celsius = z.infer<typeof celsius>;
type Kelvin = z.infer<typeof kelvin>;

const second = (upcast: (old: Celsius) => Kelvin): EventType => nextVersion(first, kelvin, upcast);
const usual = (old: Celsius): Kelvin => ({ kelvin: old.celsius + 273.15, depths: old.depths ?? [] });

const examples = [
  { version: 1, data: { celsius: -10, depths: [1, 2] } },
  { version: 2, data: { kelvin: 200, depths: [] } },
];
const of = (declared: EventType): string => fingerprintOf(declared, examples);

describe('the fingerprint of a type', () => {
  it('changes when a version is added or a schema changes', () => {
    const changed = eventType({ ...about, in: ['notes'], data: celsius.extend({ place: z.string().optional() }) });
    expect(new Set([of(first), of(second(usual)), of(changed)]).size).toBe(3);
  });

  it('changes when an upcast gives other data, also for absent parts or when it throws', () => {
    const others = [
      (old: Celsius): Kelvin => ({ ...usual(old), kelvin: old.celsius + 273 }),
      (old: Celsius): Kelvin => ({ ...usual(old), depths: old.depths ?? [0] }),
      (old: Celsius): Kelvin => ({ ...usual(old), depths: (old.depths as number[]).slice() }),
    ];
    expect(new Set([usual, ...others].map((upcast) => of(second(upcast)))).size).toBe(4);
  });

  it('does not depend on the code of an upcast or on descriptions of fields', () => {
    const written = (a: Celsius): Kelvin => {
      const { celsius, depths = [] } = a;
      return { depths, kelvin: celsius + 273.15 };
    };
    const described = eventType({
      ...about,
      in: ['notes'],
      data: z.strictObject({ celsius: z.number().describe('degrees'), depths: z.array(z.number()).optional() }),
    });
    expect(of(second(written))).toBe(of(second(usual)));
    expect(of(described)).toBe(of(first));
  });
});

it('schemas/fingerprints.ts has one for every type', () => {
  expect(Object.keys(fingerprints)).toEqual([...eventTypes.keys()]);
});

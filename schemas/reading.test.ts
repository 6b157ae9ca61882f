import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readEvent } from './catalogue.ts';
import { checkAgainst } from './check.ts';
import { type EventType, eventType, nextVersion } from './family.ts';
import { readAgainst } from './reading.ts';
import { parsed, valuesOf } from './testing/arbitrary.ts';

// A type with three versions: degrees Celsius, then Kelvin, then a separate unit.
const first = eventType({
  type: 'IceMeasured',
  code: 250,
  in: ['notes'],
  stage: 'maybe',
  summary: 'The temperature of the ice was measured.',
  data: z.strictObject({ celsius: z.number(), depths: z.array(z.number()).optional() }),
});
const second = nextVersion(first, z.strictObject({ kelvin: z.number(), depths: z.array(z.number()) }), (old) => ({
  kelvin: old.celsius + 273.15,
  depths: old.depths ?? [],
}));
const third = nextVersion(
  second,
  z.strictObject({
    temperature: z.strictObject({ value: z.number(), unit: z.enum(['K']) }),
    depths: z.array(z.number()),
  }),
  ({ kelvin, depths }) => ({ temperature: { value: kelvin, unit: 'K' as const }, depths }),
  ({ temperature }) =>
    temperature.value < 0
      ? [{ field: 'data.temperature.value', found: String(temperature.value), allowed: 'from 0' }]
      : [],
);
const types = new Map<string, EventType>([[third.type, third]]);

const dataOf = (version: number): fc.Arbitrary<Record<string, unknown>> =>
  valuesOf(third.versions[version - 1] ?? z.never()).map((data) => frozen(parsed(data)) as Record<string, unknown>);

const frozen = (value: unknown): unknown => {
  if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
};

describe('data of an older version', () => {
  it.each([1, 2, 3])('version %i is read as data of the current version', (version) => {
    fc.assert(
      fc.property(dataOf(version), (data) => {
        const reading = readAgainst(types, 'IceMeasured', version, data);
        expect(reading).toMatchObject({ known: true, type: 'IceMeasured', version });
        expect(third.versions[2]?.safeParse(reading.data).success).toBe(true);
      }),
    );
  });

  it('goes through every upcast from its own version on', () => {
    fc.assert(
      fc.property(dataOf(1), (data) => {
        const [toSecond, toThird] = third.upcasts;
        const step = toSecond?.(data) ?? {};
        expect(readAgainst(types, 'IceMeasured', 1, data).data).toEqual(toThird?.(step));
        expect(readAgainst(types, 'IceMeasured', 2, step).data).toEqual(toThird?.(step));
      }),
    );
  });

  it('does not change if it is of the current version', () => {
    fc.assert(fc.property(dataOf(3), (data) => readAgainst(types, 'IceMeasured', 3, data).data === data));
  });

  it('may still be written, and is checked with the schema of its own version', () => {
    const check = checkAgainst(types);
    const event = {
      id: '01990000-0000-8000-8000-000000000001',
      type: 'IceMeasured',
      at: '2026-07-01T12:00:00Z',
      actor: 'human/ada',
      run: 'a',
      stage: null,
      causes: [],
    };
    expect(check('notes-a', { ...event, version: 1, data: { celsius: -300 } })).toEqual([]);
    expect(check('notes-a', { ...event, version: 2, data: { celsius: -300 } })).not.toEqual([]);
    expect(
      check('notes-a', { ...event, version: 3, data: { temperature: { value: -1, unit: 'K' }, depths: [] } }),
    ).toEqual([{ field: 'data.temperature.value', found: '-1', allowed: 'from 0' }]);
    expect(check('notes-a', { ...event, version: 4, data: {} })).toEqual([
      { field: 'version', found: '4 (a number)', allowed: '1 to 3' },
    ]);
  });
});

describe('unknown data stays unchanged', () => {
  it('for any type, version and data, without throwing', () => {
    const version = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, 1, 2, 3, 4));
    const type = fc.oneof(fc.string(), fc.constantFrom('IceMeasured', '__proto__', 'constructor', 'toString'));
    fc.assert(
      fc.property(type, version, fc.anything(), (type, version, data) => {
        const reading = readAgainst(types, type, version, data);
        if (!reading.known) expect(reading.data).toBe(data);
        expect(reading.known && type !== 'IceMeasured').toBe(false);
      }),
    );
  });

  it.each([
    ['an undeclared type', 'MoonRisen', 1, { phase: 1 }, 'unknown-type'],
    ['a key that every object has', 'constructor', 1, {}, 'unknown-type'],
    ['a version still to come', 'IceMeasured', 4, { celsius: 1 }, 'unknown-version'],
    ['a version that never was', 'IceMeasured', 0, { celsius: 1 }, 'unknown-version'],
    ['data that is no object', 'IceMeasured', 3, 'cold', 'unreadable'],
  ])('%s', (_, type, version, data, why) => {
    expect(readAgainst(types, type, version, data)).toEqual({ known: false, type, version, data, why });
  });

  it('for data that an upcast cannot handle', () => {
    const fragile = nextVersion(first, z.strictObject({ text: z.string() }), (old) => ({
      text: old.celsius.toFixed(1),
    }));
    const reading = readAgainst(new Map([[fragile.type, fragile as EventType]]), 'IceMeasured', 1, {});
    expect(reading).toEqual({ known: false, type: 'IceMeasured', version: 1, data: {}, why: 'unreadable' });
  });
});

it('for the types of the catalogue', () => {
  expect(readEvent('RunAnnotated', 1, { note: 'cold' })).toEqual({
    known: true,
    type: 'RunAnnotated',
    version: 1,
    data: { note: 'cold' },
  });
  expect(readEvent('RunAnnotated', 2, { note: 'cold' }).known).toBe(false);
});

import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTypes } from './catalogue.ts';
import { checkAgainst } from './check.ts';
import { type EventType, writerSchema } from './family.ts';
import { published, versionsOf } from './published.ts';
import { parsed, valuesOf } from './testing/arbitrary.ts';
import { mutated } from './testing/mutation.ts';
import { tries } from './testing/tries.ts';

const ajv = new Ajv2020({ validateFormats: false, strict: true, strictTypes: false, allErrors: false });
const documents = published();
const accepts = new Map([...documents].map(([file, schema]) => [file, ajv.compile(schema)]));

/** Each version of each type, without the checks that need the stream's name or a second field. */
const everyVersion = [...eventTypes.values()].flatMap((declared) =>
  versionsOf(declared).map((v) => [declared.type, v] as const),
);
const structural = checkAgainst(
  new Map(
    Array.from(eventTypes, ([type, { crossCheck, ...declared }]): [string, EventType] => [
      type,
      { ...declared, categories: ['ablation'] },
    ]),
  ),
);
const isFine = (event: unknown): boolean => structural('ablation-any', event).length === 0;

const arbitraries = new Map<string, fc.Arbitrary<unknown>>();

/** Cached, since building the arbitraries takes longer than using them. */
function eventsOf(type: string, version: number): fc.Arbitrary<unknown> {
  const declared = eventTypes.get(type);
  if (declared === undefined) throw new Error(`no type ${type}`);
  const key = `${type} ${version}`;
  const events = arbitraries.get(key) ?? valuesOf(writerSchema(declared, version)).map(parsed);
  arbitraries.set(key, events);
  return events;
}

describe.each(everyVersion)('%s, version %i: the JSON Schema and the check on writing', (type, version) => {
  const one = accepts.get(`${type}.v${version}.json`);
  const any = accepts.get('event.json');

  it('accept the same good events', () => {
    fc.assert(
      fc.property(eventsOf(type, version), (event) => {
        expect(structural('ablation-any', event)).toEqual([]);
        expect(one?.(event), ajv.errorsText(one?.errors)).toBe(true);
        expect(any?.(event), ajv.errorsText(any?.errors)).toBe(true);
      }),
      { numRuns: tries(25) },
    );
  });

  it('refuse the same invalid events', () => {
    fc.assert(
      fc.property(eventsOf(type, version).chain(mutated), (event) => {
        expect(any?.(event)).toBe(isFine(event));
        if ((event as { type?: unknown }).type === type) expect(one?.(event)).toBe(isFine(event));
      }),
      { numRuns: tries(100) },
    );
  });
});

describe('recorded-event.json', () => {
  const read = accepts.get('recorded-event.json');
  const place = {
    stream: 'run-k3v9q2m8x1tz',
    revision: 7,
    previous: null,
    recordedAt: '2026-07-01T12:00:00.000Z',
    digest: 'ab'.repeat(32),
  };

  it.each(everyVersion)('accepts %s, version %i, with the fields that the ledger adds', (type, version) => {
    fc.assert(
      fc.property(eventsOf(type, version), (event) => read?.({ ...(event as object), ...place }) === true),
      { numRuns: tries(10) },
    );
  });

  it('accepts types, versions and envelope fields of a newer icecore', () => {
    const event = {
      id: '01990000-0000-8000-8000-000000000001',
      at: '2026-07-01T12:00:00Z',
      actor: 'human/ada',
      run: null,
      stage: null,
      causes: [],
    };
    expect(read?.({ ...event, ...place, type: 'MoonRisen', version: 3, data: { phase: 0.5 } })).toBe(true);
    expect(read?.({ ...event, ...place, type: 'RunAnnotated', version: 9, data: { new: 1 }, extra: 1 })).toBe(true);
    expect(read?.({ ...event, ...place, type: 'RunAnnotated', version: 1, data: { new: 1 } })).toBe(false);
  });
});

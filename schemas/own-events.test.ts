import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { eventTypes } from './catalogue.ts';
import { defineEvent, type OwnData } from './define-event.ts';
import { checksOf, eventTypesWith } from './own-events.ts';
import { readAgainst } from './reading.ts';

const throttled = defineEvent({
  type: 'acme.GpuThrottled',
  summary: 'A GPU became too hot.',
  in: ['x', 'notes'],
  data: z.object({ gpu: z.int(), kelvin: z.number() }),
  before: [
    {
      data: z.object({ gpu: z.int(), celsius: z.number() }),
      upcast: ({ celsius, ...rest }) => ({ ...rest, kelvin: Number(celsius) + 273.15 }),
    },
  ],
});

const types = eventTypesWith([throttled]);
const check = checksOf(types).event;

const event = {
  id: '5f0e4a52-6c1b-4b7e-9d0a-3c2b1a000001',
  ...{ type: 'acme.GpuThrottled', version: 2, at: '2026-01-02T03:04:05Z', actor: 'producer/monitor' },
  ...{ run: 'k3v9q2m8x1tz', stage: 1, causes: [], data: { gpu: 3, kelvin: 365 } },
};

const fieldsAt = (stream: string, given: object): string[] =>
  check(stream, { ...event, ...given }).map(({ field }) => field);

describe('an event type of a plugin', () => {
  it('is checked on writing as strictly as the catalogue, in each of its versions', () => {
    expect(fieldsAt('x-gpu', {})).toEqual([]);
    expect(fieldsAt('x-gpu', { run: null, stage: null })).toEqual([]);
    expect(fieldsAt('notes-k3v9q2m8x1tz', {})).toEqual([]);
    expect(fieldsAt('x-gpu', { version: 1, data: { gpu: 3, celsius: 92 } })).toEqual([]);
    expect(fieldsAt('x-gpu', { version: 3 })).toEqual(['version']);
    expect(fieldsAt('x-gpu', { data: { gpu: 3, kelvin: 365, fan: 1 } })).toEqual(['data.fan']);
    expect(fieldsAt('x-gpu', { data: { gpu: 'three', kelvin: 365 } })).toEqual(['data.gpu']);
    expect(fieldsAt('x-gpu', { data: JSON.parse('{"gpu":3,"kelvin":1,"__proto__":1}') })).toContain('data.__proto__');
    expect(fieldsAt('notes-another', {})).toEqual(['run']);
  });

  it('is allowed only in plugin streams, where catalogue types are refused', () => {
    for (const stream of ['run-k3v9q2m8x1tz', 'work-k3v9q2m8x1tz', 'evidence-k3v9q2m8x1tz-1-0-0', 'ablation-a'])
      expect(fieldsAt(stream, {})).toContain('stream');
    for (const type of eventTypes.keys()) expect(fieldsAt('x-gpu', { type, version: 1 })).toContain('stream');
    for (const stream of ['x-', 'x-Gpu', 'x-gpu-', 'y-gpu']) expect(fieldsAt(stream, {})).toEqual(['stream']);
  });

  it('is unknown if not registered, and the error names the nearest type', () => {
    const [issue] = check('x-gpu', { ...event, type: 'acme.GpuThrotled' });
    expect(issue).toMatchObject({ field: 'type', allowed: expect.stringContaining('acme.GpuThrottled') });
    expect(checksOf(eventTypes).event('x-gpu', event)[0]).toMatchObject({ field: 'type' });
    expect(readAgainst(eventTypes, event.type, 2, event.data)).toMatchObject({ known: false, why: 'unknown-type' });
  });

  it('is read in its current version', () => {
    expect(readAgainst(types, event.type, 1, { gpu: 3, celsius: 0 })).toEqual({
      ...{ known: true, type: 'acme.GpuThrottled', version: 1 },
      data: { gpu: 3, kelvin: 273.15 },
    });
    expectTypeOf<OwnData<typeof throttled>>().toEqualTypeOf<{ gpu: number; kelvin: number }>();
  });

  it('is registered in addition to the catalogue, which does not change', () => {
    expect(types.size).toBe(eventTypes.size + 1);
    expect(eventTypesWith()).toBe(eventTypes);
    const list = [throttled];
    expect(eventTypesWith(list)).toBe(eventTypesWith(list));
    expect(() => eventTypesWith([throttled, throttled])).toThrow('two of this name');
  });

  it.each([
    'RunStarted',
    'Gpu',
    'acme.',
    '.acme',
    'acme..x',
    'icecore.Gpu',
    'acme gpu.x',
    '',
    `acme.${'x'.repeat(200)}`,
  ])('is not called %j', (type) => {
    expect(() => defineEvent({ type, summary: '', data: z.object({}) })).toThrow('like acme.GpuThrottled');
  });

  it('has data that is stored unchanged: nothing is filled in, converted or left out', () => {
    const declared = (data: z.ZodObject) =>
      checksOf(eventTypesWith([defineEvent({ type: 'acme.X', summary: '', data })])).event;
    const given = (data: object) => ({ ...event, type: 'acme.X', version: 1, data });
    const loose: readonly (readonly [z.ZodObject, object])[] = [
      [z.object({ a: z.object({ b: z.int() }) }), { a: { b: 1, c: 2 } }],
      [z.object({ a: z.int().default(1) }), {}],
      [z.object({ a: z.coerce.number() }), { a: '1' }],
    ];
    for (const [schema, data] of loose)
      expect(declared(schema)('x-a', given(data))).toMatchObject([{ field: 'data.a' }]);
    expect(declared(z.object({ a: z.int().refine((a) => a > 3) }))('x-a', given({ a: 1 }))).toHaveLength(1);
    for (const value of [z.date(), z.bigint(), z.string().transform((text) => text.length)])
      expect(() => declared(z.object({ value }))).toThrow('allowed: schemas of JSON');
  });

  it('cannot be written to run or evidence streams', () => {
    const declared = { type: 'acme.X', summary: '', data: z.object({}) };
    expect(() => defineEvent({ ...declared, in: ['run' as 'x'] })).toThrow('found in: run, allowed: x, notes');
    expect(() => defineEvent({ ...declared, in: [] })).toThrow('no kind of stream');
  });
});

// Plugins are registered completely, with unique names, or not at all.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { z as zod3 } from 'zod/v3';
import { BadEventType, defineEvent } from '../../../schemas/define-event.ts';
import { checksOf, eventTypesWith } from '../../../schemas/own-events.ts';
import { temporaryFolder } from '../../base/testing/temporary-folder.ts';
import { defineContextModule } from './define.ts';
import { BadPlugin, definePlugin, NameTaken, type Plugin, registryOf } from './plugin.ts';
import { defineProjection } from './projection.ts';

const throttled = defineEvent({
  ...{ type: 'acme.GpuThrottled', summary: 'A GPU became too hot.' },
  data: z.object({ gpu: z.int(), celsius: z.number() }),
});

/** Untyped, as from JavaScript. */
function registered(...plugins: readonly Readonly<Record<string, unknown>>[]) {
  return registryOf(plugins as unknown as readonly Plugin[]);
}

describe('event types', () => {
  it('are registered in the order of the plugins', () => {
    const cooled = defineEvent({ type: 'acme.GpuCooled', summary: 'It is cool again.', data: z.object({}) });
    const { eventTypes } = registryOf([
      definePlugin({ name: 'acme', events: [throttled] }),
      definePlugin({ name: 'acme-cooling', events: [cooled] }),
    ]);
    expect(eventTypes).toEqual([throttled, cooled]);
  });

  it.each([
    [
      'a type that another plugin has',
      [{ name: 'other', events: [throttled] }],
      NameTaken,
      'the plugins other and acme both',
    ],
    ['nothing', [], BadPlugin, 'the plugin acme, events[1]: found null, allowed: what defineEvent returned'],
  ])('%s is refused', (_, others, error, says) => {
    const events = others.length > 0 ? [throttled] : [throttled, null];
    const register = () => registered(...others, { name: 'acme', events });
    expect(register).toThrow(error);
    expect(register).toThrow(says);
  });

  it.each([
    { type: 'RunStarted', versions: [z.object({})], upcasts: [], categories: ['x'] },
    { type: 'acme.Cooled', data: z.object({}) },
    { ...throttled, upcasts: [() => ({})] },
  ])('refuses a type not made by defineEvent: %j', (declared) => {
    expect(() => registered({ name: 'acme', events: [declared] })).toThrow(
      'the plugin acme, events[0]: found an object, allowed: what defineEvent returned',
    );
  });

  it('may use a schema of another copy of zod', async () => {
    const copy = join(temporaryFolder(), 'zod');
    cpSync(fileURLToPath(new URL('.', import.meta.resolve('zod'))), copy, { recursive: true });
    const { z: other } = (await import(pathToFileURL(join(copy, 'index.js')).href)) as { readonly z: typeof z };
    expect(other.ZodObject).not.toBe(z.ZodObject);
    const data = other.object({ gpu: other.int(), inner: other.object({ celsius: other.number() }) });
    const type = 'acme.Foreign';
    const check = checksOf(eventTypesWith([defineEvent({ type, summary: 'foreign', data })])).event;
    const event = {
      id: '5f0e4a52-6c1b-4b7e-9d0a-3c2b1a000000',
      ...{
        type,
        version: 1,
        at: '2026-01-02T03:04:05Z',
        actor: 'producer/monitor',
        run: null,
        stage: null,
        causes: [],
      },
    };
    expect(check('x-gpu', { ...event, data: { gpu: 1, inner: { celsius: 91 } } })).toEqual([]);
    expect(check('x-gpu', { ...event, data: { gpu: 'one', inner: { celsius: 91 } } })).toMatchObject([
      { field: 'data.gpu' },
    ]);
  });

  it('may change the input of an upcast without changing the recorded event', () => {
    const upcast = (data: Record<string, unknown>) => Object.assign(data, { celsius: Number(data['degrees']) });
    const before = [{ data: z.object({ degrees: z.number() }), upcast }];
    const { upcasts } = defineEvent({
      type: 'acme.Hot',
      summary: 'hot',
      data: z.object({ celsius: z.number() }),
      before,
    });
    const recorded = { degrees: 91 };
    expect(upcasts[0]?.(recorded)).toEqual({ degrees: 91, celsius: 91 });
    expect(recorded).toEqual({ degrees: 91 });
  });

  it('refuse a schema of zod 3', () => {
    const data = zod3.object({ gpu: zod3.number() }) as unknown as z.ZodObject;
    const define = () => defineEvent({ type: 'acme.Old', summary: 'old', data });
    expect(define).toThrow(BadEventType);
    expect(define).toThrow('event type "acme.Old": found data of another kind, allowed: z.object(...) of zod 4');
  });
});

describe('tables', () => {
  const table = defineProjection({ table: 'acme_throttling', summary: 'hot GPUs', from: throttled });

  it.each([
    [
      'has the name of one of the tables of icecore',
      { ...table, table: 'knob_changes' },
      'projections[0].table: found knob_changes, allowed: a name that no table of icecore has',
    ],
    [
      'has a name of one word',
      { ...table, table: 'throttling' },
      'projections[0].table: found "throttling" (a string), allowed: words of lower',
    ],
    ['has capitals in its name', { ...table, table: 'Acme_T' }, 'projections[0].table: found "Acme_T"'],
    [
      'would hide a table of DuckDB',
      { ...table, table: 'duckdb_tables' },
      'projections[0].table: found "duckdb_tables"',
    ],
    [
      'has a column that all tables have',
      { ...table, columns: [{ ...table.columns[0], name: 'stream' }] },
      'projections[0].columns[0].name: found "stream" (a string), allowed: a name other than run, stage',
    ],
    ['is nothing', null, 'projections[0].'],
    ['has code', { ...table, rows: () => [] }, 'projections[0]'],
  ])('a table that %s is refused', (_, entry, says) => {
    const register = () => registered({ name: 'acme', projections: [entry] });
    expect(register).toThrow(BadPlugin);
    expect(register).toThrow(`the plugin acme, ${says}`);
  });

  it('have unique names', () => {
    const register = () => registered({ name: 'a', projections: [table] }, { name: 'b', projections: [table] });
    expect(register).toThrow('table "acme_throttling": the plugins a and b both have it');
  });
});

describe('context modules', () => {
  const module = defineContextModule({ name: 'acme.trend', meaning: 'what changed', build: () => ({ items: [] }) });

  it.each([
    ['has a name without a dot', { ...module, name: 'trend' }, 'contextModules[0].name: found "trend"'],
    ['has the name of one of icecore', { ...module, name: 'failures' }, 'contextModules[0].name: found "failures"'],
    ['means nothing', { ...module, meaning: ' ' }, 'contextModules[0].meaning: found " " (a string), allowed: a text'],
    ['builds nothing', { ...module, build: undefined }, 'contextModules[0].build: found nothing'],
    ['is nothing', null, 'contextModules[0].name: found nothing'],
  ])('a module that %s is refused', (_, entry, says) => {
    const register = () => registered({ name: 'acme', contextModules: [entry] });
    expect(register).toThrow(BadPlugin);
    expect(register).toThrow(`the plugin acme, ${says}`);
  });

  it('have unique names', () => {
    const register = () => registered({ name: 'a', contextModules: [module] }, { name: 'b', contextModules: [module] });
    expect(register).toThrow('context module "acme.trend": the plugins a and b both have it');
  });
});

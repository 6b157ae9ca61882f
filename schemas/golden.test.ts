import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkEvent, eventTypes, readEvent } from './catalogue.ts';
import type { NewEvent } from './envelope.ts';
import { writerSchema } from './family.ts';
import { versionsOf } from './published.ts';

const folder = new URL('golden/', import.meta.url);

interface Golden {
  readonly stream: string;
  readonly event: NewEvent<Record<string, unknown>>;
}

const files = globSync('*.json', { cwd: folder }).sort();
const golden = new Map(files.map((file) => [file, JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Golden]));
const everyVersion = [...eventTypes.values()].flatMap((declared) =>
  versionsOf(declared).map((v) => [declared.type, v] as const),
);

describe('every version of every type that ever was', () => {
  it.each(everyVersion)('%s, version %i, has a golden file', (type, version) => {
    expect(files).toContain(`${type}.v${version}.json`);
  });

  it.each(everyVersion)('%s, version %i, has each of its fields in one of its golden files', (type, version) => {
    const shape = eventTypes.get(type)?.versions[version - 1]?.shape ?? {};
    const written = [...golden.values()].filter(({ event }) => event.type === type && event.version === version);
    const fields = new Set(written.flatMap(({ event }) => Object.keys(event.data)));
    expect(Object.keys(shape).filter((field) => !fields.has(field))).toEqual([]);
  });
});

describe.each([...golden])('%s', (file, { stream, event }) => {
  it('is named after its type and version', () => {
    expect(file).toMatch(new RegExp(`^${event.type}\\.v${event.version}(\\.[a-z]+)?\\.json$`));
  });

  it('may be written', () => {
    expect(checkEvent(stream, event)).toEqual([]);
  });

  it('is read as data of the current version', () => {
    const reading = readEvent(event.type, event.version, event.data);
    const declared = eventTypes.get(event.type);
    expect(reading.known).toBe(true);
    if (declared === undefined) return;
    const current = declared.versions.length;
    expect(() =>
      writerSchema(declared, current).parse({ ...event, version: current, data: reading.data }),
    ).not.toThrow();
    if (event.version === current) expect(reading.data).toBe(event.data);
  });
});

it('the schemas of all types become generated code: the check is never slow for want of it', () => {
  for (const [type, version] of everyVersion) {
    const declared = eventTypes.get(type);
    if (declared !== undefined) z.compile(writerSchema(declared, version), { strict: true });
  }
});

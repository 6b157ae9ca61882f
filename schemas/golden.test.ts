import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkEvent, eventTypes, readEvent } from './catalogue.ts';
import { writerSchema } from './family.ts';
import { versionsOf } from './published.ts';
import { golden, goldenFiles } from './testing/golden.ts';

const written = goldenFiles.map((file) => ({ file, ...golden(file) }));
const everyVersion = [...eventTypes.values()].flatMap((declared) =>
  versionsOf(declared).map((v) => [declared.type, v] as const),
);

describe('every version of every event type', () => {
  it.each(everyVersion)('%s, version %i, has a golden file', (type, version) => {
    expect(goldenFiles).toContain(`${type}.v${version}`);
  });

  it.each(everyVersion)('%s, version %i, has each of its fields in one of its golden files', (type, version) => {
    const shape = eventTypes.get(type)?.versions[version - 1]?.shape ?? {};
    const examples = written.filter(({ event }) => event.type === type && event.version === version);
    const fields = new Set(examples.flatMap(({ event }) => Object.keys(event.data)));
    expect(Object.keys(shape).filter((field) => !fields.has(field))).toEqual([]);
  });
});

describe.each(written)('$file', ({ file, stream, event }) => {
  it('is named after its type and version', () => {
    expect(file).toMatch(new RegExp(`^${event.type}\\.v${event.version}(\\.[a-z]+)?$`));
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

it('the schemas of all types compile to generated code, so that checks are fast', () => {
  for (const [type, version] of everyVersion) {
    const declared = eventTypes.get(type);
    if (declared !== undefined) z.compile(writerSchema(declared, version), { strict: true });
  }
});

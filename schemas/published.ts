// The catalogue as JSON Schema (draft 2020-12), for producers and readers in other languages: a schema for each version of
// each type as written, one for any event as written, and one for any event as read. They accept and refuse the same events
// as the check on writing, except for checks that compare two fields or need the stream's name.
import { z } from 'zod';
import { eventTypes } from './catalogue.ts';
import type { EventTypes } from './check.ts';
import { recordedFields, writerFields } from './envelope.ts';
import { type EventType, stageRules, writerSchema } from './family.ts';
import { details } from './primitives.ts';

type Json = Record<string, unknown>;

const baseUrl = 'https://icecore.dev/schemas/';

/** Every published document by file name; includes registered plugin types. */
export function published(registered: EventTypes = eventTypes): Map<string, Json> {
  const types = [...registered.values()];
  return new Map([
    ['event.json', anyWritten(types)],
    ['recorded-event.json', anyRecorded(types)],
    ...types.flatMap((declared) =>
      versionsOf(declared).map((v) => [`${declared.type}.v${v}.json`, written(declared, v)] as const),
    ),
  ]);
}

export function versionsOf({ versions }: EventType): number[] {
  return versions.map((_, i) => i + 1);
}

function written(declared: EventType, version: number): Json {
  const title = `${declared.type}, version ${version}, as it is written`;
  return document(
    `${declared.type}.v${version}.json`,
    title,
    declared.summary,
    jsonSchema(writerSchema(declared, version)),
  );
}

function anyWritten(types: readonly EventType[]): Json {
  const envelope = z.strictObject({ ...writerFields, type: z.enum(types.map(({ type }) => type)), data: details });
  const summary =
    'Any event as a writer hands it in: the ledger adds stream, revision, previous, recordedAt and digest.';
  return document('event.json', 'An event as it is written', summary, {
    ...jsonSchema(envelope),
    allOf: [...types.map(onlyKnownVersions), ...eachVersion(types)],
    $defs: dataSchemas(types),
  });
}

function anyRecorded(types: readonly EventType[]): Json {
  const envelope = z.looseObject({ ...recordedFields, data: details });
  const summary =
    'Any event as it is read. Types and versions that are newer than this schema are accepted as they are.';
  return document('recorded-event.json', 'An event as it is read', summary, {
    ...jsonSchema(envelope),
    allOf: eachVersion(types),
    $defs: dataSchemas(types),
  });
}

function document(file: string, title: string, description: string, { $schema, $defs, ...schema }: Json): Json {
  return { $schema, $id: baseUrl + file, title, description, ...schema, $defs: { ...($defs as Json), json: anyJson } };
}

function onlyKnownVersions(declared: EventType): Json {
  return {
    if: { properties: { type: { const: declared.type } } },
    // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema
    then: { properties: { version: { enum: versionsOf(declared) } } },
  };
}

function eachVersion(types: readonly EventType[]): Json[] {
  return types.flatMap((declared) =>
    versionsOf(declared).map((version) => ({
      if: { properties: { type: { const: declared.type }, version: { const: version } } },
      // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema
      then: {
        properties: {
          stage: withoutSchema(stageRules[declared.stage]),
          data: { $ref: `#/$defs/${declared.type}.v${version}` },
        },
      },
    })),
  );
}

function dataSchemas(types: readonly EventType[]): Json {
  return Object.fromEntries(
    types.flatMap(({ type, versions }) => versions.map((data, i) => [`${type}.v${i + 1}`, withoutSchema(data)])),
  );
}

function withoutSchema(schema: z.ZodType): Json {
  const { $schema, ...rest } = jsonSchema(schema);
  return rest;
}

function jsonSchema(schema: z.ZodType): Json {
  return closed(z.toJSONSchema(schema, { io: 'input' }) as Json);
}

// Where zod allows anything, the check on writing still refuses keys named __proto__ at any depth.
const anyKey: Json = { not: { const: '__proto__' } };
const anyValue: Json = { $ref: '#/$defs/json' };
const anyJson: Json = {
  description: 'any JSON value without keys named __proto__',
  anyOf: [
    { type: ['null', 'boolean', 'number', 'string'] },
    { type: 'array', items: anyValue },
    { type: 'object', propertyNames: anyKey, additionalProperties: anyValue },
  ],
};

/** The schema with that refusal added wherever a map or any value is allowed. */
function closed(schema: Json): Json {
  const { description, ...says } = schema;
  if (Object.keys(says).length === 0) return { ...schema, ...anyValue };
  const open =
    schema['propertyNames'] === undefined ? {} : { propertyNames: { ...(schema['propertyNames'] as Json), ...anyKey } };
  return {
    ...schema,
    ...mapped(schema, 'properties', closeMembers),
    ...mapped(schema, 'anyOf', closeAll),
    ...mapped(schema, 'items', closed),
    ...mapped(schema, 'additionalProperties', closed),
    ...open,
  };
}

const closeMembers = (members: Json): Json =>
  Object.fromEntries(Object.entries(members).map(([key, member]) => [key, closed(member as Json)]));

const closeAll = (options: Json): Json[] => (options as unknown as Json[]).map(closed);

/** One keyword of a schema, changed if it is present and contains schemas. */
function mapped(schema: Json, keyword: string, change: (held: Json) => unknown): Json {
  const held = schema[keyword];
  return typeof held === 'object' && held !== null ? { [keyword]: change(held as Json) } : {};
}

// The strict check on writing: whether an event is valid in a stream. Every append runs it, so a valid event passes through
// generated code once; only an invalid one is examined again, to describe what is wrong.

import { z } from 'zod';
import type { JsonSchema } from './describe-schema.ts';
import { fieldOf, found, type Issue } from './errors.ts';
import { type EventType, type Place, writerSchema } from './family.ts';
import { isObject } from './json-text.ts';
import { nearestNames, suggestion } from './nearest.ts';
import { type Category, categories, parseStream, type StreamName } from './streams.ts';
import { translate } from './translate.ts';

/** Event types by name. */
export type EventTypes = ReadonlyMap<string, EventType>;

/** Lists everything that is wrong with a new event for a stream; empty if it may be written. */
export type Check = (stream: string, event: unknown) => readonly Issue[];

const fine: readonly Issue[] = Object.freeze([]);

/**
 * `hides` looks for hidden keys in free parts of the data. A caller that also writes the text of the event finds them there
 * at less cost, and passes a function that always returns false.
 */
export function checkAgainst(types: EventTypes, hides: (data: unknown) => boolean = hidesKey): Check {
  const checks = new Map(
    Array.from(types, ([type, declared]) => [
      type,
      declared.versions.map((_, i) => versionCheck(declared, i + 1, hides)),
    ]),
  );
  const nameOf = cachingLast(parseStream);
  return (stream, event) => {
    if (!isObject(event)) return [{ field: '', found: found(event), allowed: anEvent }];
    const name = nameOf(stream);
    const { type, version } = event;
    const check = typeof version === 'number' ? checks.get(type as string)?.[version - 1] : undefined;
    if (check === undefined || name === null)
      return [...badStreamName(stream, name), ...unknownType(types, event, name)];
    return check(name, event);
  };
}

const anEvent = 'an event: {id, type, version, at, actor, run, stage, causes, data}';

type Fields = Readonly<Record<string, unknown>>;
type VersionCheck = (stream: StreamName, event: Fields) => readonly Issue[];

/** The check of one version of one type. Its code is generated for the first such event. */
function versionCheck(declared: EventType, version: number, hides: (data: unknown) => boolean): VersionCheck {
  const crossCheck = version === declared.versions.length ? declared.crossCheck : undefined;
  let schema: z.ZodObject | undefined;
  return (stream, event) => {
    schema ??= z.compile(writerSchema(declared, version));
    const place = misplaced(declared, stream, event);
    if (!z.validate(schema, event) || hides(event['data'])) {
      return firstOfEachField([...place, ...malformed(schema, event)]);
    }
    if (place.length > 0 || crossCheck === undefined) return place;
    return crossCheck(event['data'] as Fields, { stream, run: event['run'], stage: event['stage'] } as Place);
  };
}

function badStreamName(stream: string, name: StreamName | null): Issue[] {
  if (name !== null) return [];
  return [
    { field: 'stream', found: found(stream), allowed: categories.map((category) => streamForms[category]).join(', ') },
  ];
}

const streamForms: Readonly<Record<Category, string>> = {
  run: 'run-<run>',
  evidence: 'evidence-<run>-<stage>-<part>-<attempt>',
  work: 'work-<run>',
  notes: 'notes-<run>',
  answer: 'answer-<digest>',
  ablation: 'ablation-<id>',
  x: 'x-<name>',
};

function unknownType(types: EventTypes, { type, version }: Fields, stream: StreamName | null): Issue[] {
  if (typeof type !== 'string' || !types.has(type)) {
    return [{ field: 'type', found: found(type), allowed: allowedTypes(types, type, stream) }];
  }
  const newest = types.get(type)?.versions.length ?? 0;
  if (Number.isInteger(version) && (version as number) >= 1 && (version as number) <= newest) return [];
  return [{ field: 'version', found: found(version), allowed: newest === 1 ? '1' : `1 to ${newest}` }];
}

/** The catalogue is too long for a message, so only this many types are listed. */
const mostTypes = 4;

function allowedTypes(types: EventTypes, type: unknown, stream: StreamName | null): string {
  const near = typeof type === 'string' ? nearestNames(type, types.keys()) : [];
  if (near.length > 0) return `a type of the catalogue, ${suggestion(near)}`;
  const own = [...types.values()].filter(({ categories }) => stream === null || categories.includes(stream.category));
  if (own.length === 0 && stream !== null)
    return `a type that a plugin defines: none of those here belongs in a stream of kind ${stream.category}; see docs/plugins.md in icecore's repository`;
  const names = own.slice(0, mostTypes).map((declared) => declared.type);
  const more = own.length > mostTypes ? ` and ${own.length - mostTypes} more` : '';
  const where = stream === null ? '' : ` in a stream of kind ${stream.category}`;
  return `${names.join(', ')}${more}${where}; docs/events.md in icecore's repository has all ${types.size}`;
}

/** Whether the event does not belong in this stream. */
function misplaced(declared: EventType, stream: StreamName, event: Fields): readonly Issue[] {
  const { category } = stream;
  if (!declared.categories.includes(category)) {
    const allowed = declared.categories.map((kind) => streamForms[kind]).join(' or ');
    return [{ field: 'stream', found: `a stream of kind ${category}`, allowed: `${allowed} for ${declared.type}` }];
  }
  if ('run' in stream && event['run'] !== stream.run) {
    return [{ field: 'run', found: found(event['run']), allowed: `"${stream.run}", the run of the stream` }];
  }
  if (category === 'evidence' && event['stage'] !== stream.stage) {
    return [{ field: 'stage', found: found(event['stage']), allowed: `${stream.stage}, the stage of the stream` }];
  }
  return fine;
}

const jsonSchemas = new WeakMap<z.ZodObject, JsonSchema>();

/** Describes why the schema refused an event. */
function malformed(schema: z.ZodObject, event: Fields): Issue[] {
  const json = jsonSchemas.get(schema) ?? (z.toJSONSchema(schema) as JsonSchema);
  jsonSchemas.set(schema, json);
  const findings = schema.safeParse(event).error?.issues ?? [];
  return [...translate(findings, event, json), ...hiddenKeys(event['data'], ['data'])];
}

function firstOfEachField(issues: readonly Issue[]): readonly Issue[] {
  const fields = new Set<string>();
  return issues.filter(({ field }) => !fields.has(field) && fields.add(field));
}

// A key named __proto__ changes the object when a program copies it member by member, and zod ignores it in maps. It is
// refused as a name. Deeper levels are not searched, since values nested that deeply have no canonical JSON.
const deepest = 256;

function hidesKey(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > deepest) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (hidesKey(value[i], depth + 1)) return true;
    return false;
  }
  if (Object.hasOwn(value, '__proto__')) return true;
  for (const key in value) if (hidesKey((value as Fields)[key], depth + 1)) return true;
  return false;
}

function hiddenKeys(value: unknown, path: readonly PropertyKey[]): Issue[] {
  if (typeof value !== 'object' || value === null || path.length > deepest) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const below = [...path, Array.isArray(value) ? Number(key) : key];
    if (key !== '__proto__') return hiddenKeys(member, below);
    return [{ field: fieldOf(below), found: 'the key "__proto__"', allowed: 'any other name' }];
  });
}

/** Appends come in batches for one stream, so the last name is usually read again. */
function cachingLast<Result>(read: (text: string) => Result): (text: string) => Result {
  let lastText: string | undefined;
  let answer: Result;
  return (text) => {
    if (text !== lastText) {
      answer = read(text);
      lastText = text;
    }
    return answer;
  };
}

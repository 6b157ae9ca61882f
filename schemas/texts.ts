// Where the data of an event may contain a text or name a blob. The fields are derived from the schemas, so there is no list
// to maintain: a field of a new type is found because it is declared as `text` or `blob`.
import type { z } from 'zod';
import { eventTypes } from './catalogue.ts';

/** A blob that an event names. */
export interface NamedBlob {
  /** The field: `data.completion`. */
  readonly field: string;
  /** Whether it is a text, which could also be inside the event; otherwise it is a file or a checkpoint. */
  readonly isText: boolean;
  readonly blob: string;
  /** Null: the event does not record it. */
  readonly bytes: number | null;
  /** The part of the text that is inside the event. */
  readonly preview: string | null;
}

/** A text inside an event. */
export interface InlineText {
  readonly field: string;
  readonly text: string;
}

const digestPattern = /^[0-9a-f]{64}$/;

/** A step from the data inwards: a key, or all members of a list or a map. */
type Step = string | typeof everyMember;
const everyMember = Symbol('every member');

/** The blobs named in the data of a version of a type, as far as this icecore knows it. */
export function blobsIn(type: string, version: number, data: unknown): readonly NamedBlob[] {
  return found(type, version, data).flatMap(({ field, isText, value: { blob, reference, bytes, preview } }) => {
    const named = blob ?? reference;
    if (typeof named !== 'string' || !digestPattern.test(named)) return [];
    return [
      {
        field,
        isText,
        blob: named,
        bytes: typeof bytes === 'number' ? bytes : null,
        preview: typeof preview === 'string' ? preview : null,
      },
    ];
  });
}

/** A quick check whether there may be any; most events have none. */
export function namesBlobs(type: string, version: number, data: unknown): boolean {
  if (type === 'Redacted') return true;
  for (const { path } of pathsOf(type, version)) if (mayLead(data, path)) return true;
  return false;
}

/** Follows the path until a list or map has to be walked. */
function mayLead(data: unknown, path: readonly Step[]): boolean {
  let inside = data;
  for (const step of path) {
    if (typeof inside !== 'object' || inside === null) return false;
    if (step === everyMember) return true;
    inside = (inside as Record<string, unknown>)[step];
  }
  return typeof inside === 'object' && inside !== null && !('text' in inside);
}

/** The texts inside the data. */
export function textsIn(type: string, version: number, data: unknown): readonly InlineText[] {
  return found(type, version, data).flatMap(({ field, isText, value }) =>
    isText && typeof value['text'] === 'string' ? [{ field, text: value['text'] }] : [],
  );
}

/** Replaces texts in a copy of the data: `instead` returns the replacement, or null to leave a text unchanged. */
export function replaceTexts<Data>(
  type: string,
  version: number,
  data: Data,
  instead: (text: InlineText) => object | null,
): Data {
  const replacements = textsIn(type, version, data).flatMap((text) => {
    const other = instead(text);
    return other === null ? [] : [[text.field, other] as const];
  });
  return replacements.length === 0 ? data : replaceFields(type, version, data, new Map(replacements));
}

/** The same for any value in such fields. */
export function replaceFields<Data>(
  type: string,
  version: number,
  data: Data,
  instead: ReadonlyMap<string, object>,
): Data {
  // Forged data can be nested too deeply to be copied.
  if (instead.size === 0) return data;
  const copy = structuredClone(data);
  for (const { field, holder, key } of found(type, version, copy)) {
    const other = instead.get(field);
    if (other !== undefined) holder[key] = other;
  }
  return copy;
}

interface Found {
  readonly field: string;
  readonly isText: boolean;
  readonly holder: Record<string, unknown>;
  readonly key: string;
  readonly value: Record<string, unknown>;
}

function found(type: string, version: number, data: unknown): readonly Found[] {
  const places: Found[] = [];
  for (const { path, isText } of pathsOf(type, version)) {
    walk({ data }, 'data', 'data', path, (place) => places.push({ ...place, isText }));
  }
  return places;
}

function walk(
  holder: Record<string, unknown>,
  key: string,
  field: string,
  path: readonly Step[],
  into: (place: Omit<Found, 'isText'>) => void,
): void {
  const value = holder[key];
  if (typeof value !== 'object' || value === null) return;
  const inside = value as Record<string, unknown>;
  const [step, ...rest] = path;
  if (step === undefined) into({ field, holder, key, value: inside });
  else if (step !== everyMember) walk(inside, step, `${field}.${step}`, rest, into);
  else for (const member of Object.keys(inside)) walk(inside, member, memberField(field, member, value), rest, into);
}

function memberField(field: string, member: string, of: object): string {
  return Array.isArray(of) ? `${field}[${member}]` : `${field}.${member}`;
}

interface Place {
  readonly path: readonly Step[];
  readonly isText: boolean;
}

type Paths = readonly Place[];

/** By type, then by version. */
const paths = new Map<string, (Paths | undefined)[]>();

function pathsOf(type: string, version: number): Paths {
  const known = typeof version === 'number' ? paths.get(type)?.[version] : undefined;
  if (known !== undefined) return known;
  // The version of an unchecked event may be anything.
  const schema = Number.isInteger(version) ? eventTypes.get(type)?.versions[version - 1] : undefined;
  if (schema === undefined) return [];
  const made = search(schema, []);
  const ofType = paths.get(type) ?? [];
  ofType[version] = made;
  paths.set(type, ofType);
  return made;
}

function search(schema: z.core.$ZodType, path: readonly Step[]): Paths {
  const { def } = schema._zod as z.core.$ZodTypes['_zod'];
  switch (def.type) {
    case 'object':
      if (isBlob(def.shape)) return [{ path, isText: 'preview' in def.shape }];
      return Object.entries(def.shape).flatMap(([key, member]) => search(member, [...path, key]));
    case 'array':
      return search(def.element, [...path, everyMember]);
    case 'record':
      return search(def.valueType, [...path, everyMember]);
    case 'union':
      return def.options.flatMap((option) => search(option, path));
    case 'optional':
    case 'nullable':
      return search(def.innerType, path);
    default:
      return [];
  }
}

/**
 * Matches `blob` itself and the half of `text` that names one; the other half, which contains the text, is in the same place.
 * A checkpoint names a blob if its reference is a digest.
 */
function isBlob(shape: Readonly<Record<string, unknown>>): boolean {
  return ('blob' in shape || 'reference' in shape) && 'bytes' in shape;
}

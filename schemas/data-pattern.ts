// Validates the canonical text of an event's data without parsing it, with the type's schema as a regular expression. The
// pattern may fail to match valid text, which is then parsed and checked; it never matches invalid or non-canonical text.
// Text that names blobs never matches, since the blobs have to be looked up. Only evidence is frequent enough for this to
// pay off.
import { z } from 'zod';
import { isCanonicalInOnePass } from './canonical-text.ts';
import { eventTypes } from './catalogue.ts';
import { actor, moment } from './primitives.ts';

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

export interface DataPattern {
  test(text: string): boolean;
}

/** The schema needs a check that no pattern can express. */
class NotExpressible extends Error {}

/**
 * Matches the beginning of a stored event of this type in its current version, up to the end of its data:
 * `{"actor":…,"at":…,"causes":…,"data":{…}`, if the causes are single events. Null if no pattern can validate the type.
 */
export function dataPattern(type: string): DataPattern | null {
  const declared = eventTypes.get(type);
  // Contradictions between fields can be seen only by parsing.
  if (declared === undefined || declared.crossCheck !== undefined) return null;
  if (declared.categories.some((category) => category !== 'evidence')) return null;
  const data = declared.versions.at(-1);
  if (data === undefined) return null;
  try {
    const event = '\\{"event":"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"\\}';
    const head = `\\{"actor":${of(z.toJSONSchema(actor) as Schema)},"at":${of(z.toJSONSchema(moment) as Schema)}`;
    const causes = `"causes":\\[${listOf(event)}\\]`;
    const form = new RegExp(`^${head},${causes},"data":${of(z.toJSONSchema(data) as Schema)}$`);
    // The pattern allows names in any order and more than one way to write a number.
    return { test: (text) => form.test(text) && isCanonicalInOnePass(text) };
  } catch (error) {
    if (error instanceof NotExpressible) return null;
    throw error;
  }
}

/** JSON strings in canonical text; with a pattern, only those without escapes. */
const plain = '[^"\\\\\\u0000-\\u001f]*';
const text = `"${plain}(?:\\\\(?:["\\\\bfnrt]|u00[01][0-9a-f])${plain})*"`;
const number = '-?(?:0|[1-9]\\d{0,15})(?:\\.\\d{1,20})?(?:e[+-]?\\d{1,2})?';
/** Within the range of exact integers. */
const whole = '(?:0|[1-9]\\d{0,14})';
/** Refused as a key at any depth. */
const noPrototype = '(?!"__proto__":)';
const scalar = `${text}|${number}|true|false|null`;
/** Any value without nesting, since a regular expression cannot follow arbitrary nesting. */
const flat = `(?:${scalar}|\\[${listOf(`(?:${scalar})`)}\\]|\\{${listOf(`${noPrototype}${text}:(?:${scalar})`)}\\})`;

/** Keywords that the pattern supports or may ignore. Any other keyword could be a limit that the pattern would miss. */
const understood = new Set([
  ...['type', 'const', 'enum', 'anyOf', 'pattern', 'minimum', 'maximum', 'items', 'minItems'],
  ...['properties', 'required', 'propertyNames', 'additionalProperties', '$schema', 'description', 'format'],
]);

function of(schema: Schema): string {
  if (Object.keys(schema).some((word) => !understood.has(word))) throw new NotExpressible();
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return `(?:${schema.enum.map(literal).join('|')})`;
  if (schema.anyOf !== undefined) return choice(schema.anyOf);
  switch (schema.type) {
    case 'null':
      return 'null';
    case 'boolean':
      return '(?:true|false)';
    case 'string':
      return string(schema);
    case 'integer':
      return integer(schema);
    case 'number':
      return anyNumber(schema);
    case 'array':
      return array(schema);
    case 'object':
      return object(schema);
    case undefined:
      return flat;
    default:
      throw new NotExpressible();
  }
}

/** The alternatives that a pattern can express. */
function choice(alternatives: readonly Schema[]): string {
  const known = alternatives.flatMap((one) => attempt(one) ?? []);
  if (known.length === 0) throw new NotExpressible();
  return `(?:${known.join('|')})`;
}

function attempt(schema: Schema): string | null {
  try {
    return of(schema);
  } catch (error) {
    if (error instanceof NotExpressible) return null;
    throw error;
  }
}

function string({ pattern, format }: Schema): string {
  if (pattern === undefined && format !== undefined) throw new NotExpressible();
  if (pattern === undefined) return text;
  const inner = pattern.slice(1, -1);
  // Only literals, classes, groups and counts, which cannot match across the closing quote.
  const outside = inner.replace(/\[(?:[^\]\\]|\\.)*\]/g, '');
  const isAnchored = pattern.startsWith('^') && pattern.endsWith('$');
  if (!isAnchored || /(?<!\\)[.^$]|\\[SWDbB1-9]/.test(outside)) throw new NotExpressible();
  return `"(?:${inner.replaceAll('[^', '[^"\\\\\\u0000-\\u001f')})"`;
}

function integer({ minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: Schema): string {
  if (maximum < Number.MAX_SAFE_INTEGER) throw new NotExpressible();
  if (minimum === 0) return whole;
  if (minimum === 1) return '[1-9]\\d{0,14}';
  if (minimum === Number.MIN_SAFE_INTEGER) return `-?${whole}`;
  throw new NotExpressible();
}

function anyNumber({ minimum, maximum }: Schema): string {
  if (maximum !== undefined || (minimum !== undefined && minimum !== 0)) throw new NotExpressible();
  return minimum === 0 ? number.replace('-?', '') : number;
}

function array({ items = {}, minItems = 0 }: Schema): string {
  if (minItems > 1) throw new NotExpressible();
  const item = of(items);
  return minItems === 1 ? `\\[${item}(?:,${item})*\\]` : `\\[${listOf(item)}\\]`;
}

function object({ properties, required = [], propertyNames, additionalProperties }: Schema): string {
  if (properties !== undefined && additionalProperties === false) return fixed(properties, new Set(required));
  if (propertyNames === undefined || typeof additionalProperties !== 'object') throw new NotExpressible();
  return `\\{${listOf(`${noPrototype}${of(propertyNames)}:${of(additionalProperties)}`)}\\}`;
}

/** Members in the order of their names, each followed by a comma and another member, or by the end. */
function fixed(properties: Readonly<Record<string, Schema>>, required: ReadonlySet<string>): string {
  if ('bytes' in properties) throw new NotExpressible();
  const members = Object.keys(properties)
    .sort()
    .map((name) => {
      const value = required.has(name) ? of(properties[name] ?? {}) : attempt(properties[name] ?? {});
      if (value === null) return '';
      const member = `"${name}":${value}(?:,(?=")|(?=\\}))`;
      return required.has(name) ? member : `(?:${member})?`;
    });
  return `\\{${members.join('')}\\}`;
}

function listOf(item: string): string {
  return `(?:${item}(?:,${item})*)?`;
}

function literal(value: unknown): string {
  return JSON.stringify(value).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

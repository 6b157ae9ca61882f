// A glance at the canonical text of an event's data tells whether it is what its type asks for, without parsing it: its schema as a
// regular expression. A glance may fail to recognise what is right, and then the text is looked at properly; it never
// passes what is wrong: neither what the type does not ask for, nor text that is not canonical. What names a blob is not recognised
// either: it has to be looked for. Only evidence comes in masses that make this worth while.
import { z } from 'zod';
import { walksCanonically } from './canonical-text.ts';
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

export interface DataGlance {
  test(text: string): boolean;
}

/** The schema says what no glance can tell, and it is asked for. */
class NotAtAGlance extends Error {}

/**
 * Matches the beginning of an event of this type in its current version, as it is stored, up to the end of its data:
 * `{"actor":…,"at":…,"causes":…,"data":{…}`, where the causes are single events. Null where no glance can tell.
 */
export function glanceOf(type: string): DataGlance | null {
  const declared = eventTypes.get(type);
  // What contradicts itself across fields has to be read to be seen.
  if (declared === undefined || declared.sense !== undefined) return null;
  if (declared.categories.some((category) => category !== 'evidence')) return null;
  const data = declared.versions.at(-1);
  if (data === undefined) return null;
  try {
    const event = '\\{"event":"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"\\}';
    const head = `\\{"actor":${of(z.toJSONSchema(actor) as Schema)},"at":${of(z.toJSONSchema(moment) as Schema)}`;
    const causes = `"causes":\\[${listOf(event)}\\]`;
    const form = new RegExp(`^${head},${causes},"data":${of(z.toJSONSchema(data) as Schema)}$`);
    // The form allows names in any order, and more than one way to write a number.
    return { test: (text) => form.test(text) && walksCanonically(text) };
  } catch (error) {
    if (error instanceof NotAtAGlance) return null;
    throw error;
  }
}

/** JSON strings as they are in canonical text; with a pattern, only those that need no escape. */
const plain = '[^"\\\\\\u0000-\\u001f]*';
const text = `"${plain}(?:\\\\(?:["\\\\bfnrt]|u00[01][0-9a-f])${plain})*"`;
const number = '-?(?:0|[1-9]\\d{0,15})(?:\\.\\d{1,20})?(?:e[+-]?\\d{1,2})?';
/** Well within the whole numbers that are exact. */
const whole = '(?:0|[1-9]\\d{0,14})';
/** Refused as a key on writing, at any depth. */
const noPrototype = '(?!"__proto__":)';
const scalar = `${text}|${number}|true|false|null`;
/** A value of whatever kind, as long as it lies flat: a regular expression cannot follow it into all depths. */
const flat = `(?:${scalar}|\\[${listOf(`(?:${scalar})`)}\\]|\\{${listOf(`${noPrototype}${text}:(?:${scalar})`)}\\})`;

/** What this understands, and what changes nothing. A word that is neither could mean a limit that a glance would miss. */
const understood = new Set([
  ...['type', 'const', 'enum', 'anyOf', 'pattern', 'minimum', 'maximum', 'items', 'minItems'],
  ...['properties', 'required', 'propertyNames', 'additionalProperties', '$schema', 'description', 'format'],
]);

function of(schema: Schema): string {
  if (Object.keys(schema).some((word) => !understood.has(word))) throw new NotAtAGlance();
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
      throw new NotAtAGlance();
  }
}

/** What can be glanced at of the alternatives. */
function choice(alternatives: readonly Schema[]): string {
  const known = alternatives.flatMap((one) => attempt(one) ?? []);
  if (known.length === 0) throw new NotAtAGlance();
  return `(?:${known.join('|')})`;
}

function attempt(schema: Schema): string | null {
  try {
    return of(schema);
  } catch (error) {
    if (error instanceof NotAtAGlance) return null;
    throw error;
  }
}

function string({ pattern, format }: Schema): string {
  if (pattern === undefined && format !== undefined) throw new NotAtAGlance();
  if (pattern === undefined) return text;
  const inner = pattern.slice(1, -1);
  // Only literals, classes, families and counts: nothing that could reach over the closing quote.
  const outside = inner.replace(/\[(?:[^\]\\]|\\.)*\]/g, '');
  const isAnchored = pattern.startsWith('^') && pattern.endsWith('$');
  if (!isAnchored || /(?<!\\)[.^$]|\\[SWDbB1-9]/.test(outside)) throw new NotAtAGlance();
  return `"(?:${inner.replaceAll('[^', '[^"\\\\\\u0000-\\u001f')})"`;
}

function integer({ minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: Schema): string {
  if (maximum < Number.MAX_SAFE_INTEGER) throw new NotAtAGlance();
  if (minimum === 0) return whole;
  if (minimum === 1) return '[1-9]\\d{0,14}';
  if (minimum === Number.MIN_SAFE_INTEGER) return `-?${whole}`;
  throw new NotAtAGlance();
}

function anyNumber({ minimum, maximum }: Schema): string {
  if (maximum !== undefined || (minimum !== undefined && minimum !== 0)) throw new NotAtAGlance();
  return minimum === 0 ? number.replace('-?', '') : number;
}

function array({ items = {}, minItems = 0 }: Schema): string {
  if (minItems > 1) throw new NotAtAGlance();
  const item = of(items);
  return minItems === 1 ? `\\[${item}(?:,${item})*\\]` : `\\[${listOf(item)}\\]`;
}

function object({ properties, required = [], propertyNames, additionalProperties }: Schema): string {
  if (properties !== undefined && additionalProperties === false) return fixed(properties, new Set(required));
  if (propertyNames === undefined || typeof additionalProperties !== 'object') throw new NotAtAGlance();
  return `\\{${listOf(`${noPrototype}${of(propertyNames)}:${of(additionalProperties)}`)}\\}`;
}

/** Members in the order of their names, each followed by a comma and another, or by the end. */
function fixed(properties: Readonly<Record<string, Schema>>, required: ReadonlySet<string>): string {
  if ('bytes' in properties) throw new NotAtAGlance();
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

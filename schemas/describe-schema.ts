// Describes in words what a schema allows, for messages and for the generated reference. It reads the JSON Schemas that zod
// generates.
import { z } from 'zod';
import {
  actor,
  digest,
  evidenceId,
  evidenceStream,
  hyperparameterName,
  moment,
  name,
  runId,
  stream,
  uuid,
  wideDigits,
} from './primitives.ts';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The description of the primitive that a pattern belongs to; built on first use. */
function meaningOf(pattern: string): string | undefined {
  meanings ??= new Map(
    [uuid, digest, actor, stream, evidenceStream, runId, moment, name, evidenceId, wideDigits, hyperparameterName].map(
      (schema) => {
        const { pattern, description } = z.toJSONSchema(schema);
        return [pattern, description];
      },
    ),
  );
  return meanings.get(pattern);
}

let meanings: Map<string | undefined, string | undefined> | undefined;

const anyValue = 'any JSON value';

/** Objects with more keys than this are not spelled out in a message. */
const mostKeys = 6;

export function describeSchema(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(', ')}`;
  if (schema.anyOf !== undefined)
    return [...new Set(schema.anyOf.map((option) => describeSchema(asSchema(option))))].join(' or ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => describeSchema({ type } as JsonSchema)).join(' or ');
  switch (schema.type) {
    case 'string':
      return stringPhrase(schema);
    case 'integer':
      return `a whole number${bounds(schema)}`;
    case 'number':
      return `a number${bounds(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'array':
      return `a list${schema.minItems === undefined ? '' : ` with at least ${schema.minItems}`}`;
    case 'object':
      return objectPhrase(schema);
    default:
      return anyValue;
  }
}

/** JSON Schema allows true and false as schemas; zod does not use them where values are allowed. */
export function asSchema(schema: JsonSchema | boolean): JsonSchema {
  return typeof schema === 'boolean' ? {} : schema;
}

function stringPhrase({ pattern }: JsonSchema): string {
  if (pattern === undefined) return 'a string';
  return meaningOf(pattern) ?? `a string matching ${pattern}`;
}

function bounds({ minimum, exclusiveMinimum, maximum }: JsonSchema): string {
  const from =
    exclusiveMinimum !== undefined ? ` above ${exclusiveMinimum}` : isBound(minimum) ? ` from ${minimum}` : '';
  return isBound(maximum) ? `${from} to ${maximum}` : from;
}

const isBound = (bound: number | undefined): boolean =>
  bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;

function objectPhrase({ properties, required, additionalProperties }: JsonSchema): string {
  if (properties === undefined) {
    const values = describeSchema(asSchema(additionalProperties ?? {}));
    return values === anyValue ? 'an object' : `an object with ${values} under each name`;
  }
  const keys = Object.keys(properties);
  if (keys.length > mostKeys) return 'an object';
  return `{${keys.map((key) => (required?.includes(key) ? key : `${key}?`)).join(', ')}}`;
}

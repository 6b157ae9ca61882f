// The columns an event has when DuckDB reads it, made from the catalogue: what a field may hold decides its type. Whatever
// may be several things (a number or the reason why there is none) stays JSON, for the tables to take apart.
import { z } from 'zod';
import { currentVersion, type EventType } from '../../../schemas/family.ts';
import { quoteName } from '../sql.ts';

/** A type as SQL writes it. */
type SqlType = string;

/** The type of `data` of an event type in its current version; JSON for a type that is not known. */
export function shapeOf(declared: EventType | undefined): SqlType {
  const schema = declared?.versions[currentVersion(declared) - 1];
  return schema === undefined ? 'JSON' : typeOf(z.toJSONSchema(schema) as JsonSchema);
}

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
}

function typeOf(schema: JsonSchema): SqlType {
  if (schema.anyOf !== undefined) return typeOfAny(schema.anyOf);
  if (typeof schema.type === 'object') return typeOfAny(schema.type.map((type) => ({ ...schema, type })));
  switch (schema.type) {
    case 'string':
      return 'VARCHAR';
    case 'integer':
      return 'BIGINT';
    case 'number':
      return 'DOUBLE';
    case 'boolean':
      return 'BOOLEAN';
    case 'array':
      return `${typeOf(schema.items ?? {})}[]`;
    case 'object':
      return typeOfObject(schema.properties ?? {});
    default:
      return 'JSON';
  }
}

/** Something or null is that something; several kinds of things are read as they stand. */
function typeOfAny(options: readonly JsonSchema[]): SqlType {
  const [only, ...others] = options.filter(({ type }) => type !== 'null');
  return only === undefined || others.length > 0 ? 'JSON' : typeOf(only);
}

function typeOfObject(properties: Readonly<Record<string, JsonSchema>>): SqlType {
  const fields = Object.entries(properties).map(([name, schema]) => `${quoteName(name)} ${typeOf(schema)}`);
  return fields.length === 0 ? 'JSON' : `STRUCT(${fields.join(', ')})`;
}

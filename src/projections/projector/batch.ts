// The FROM clause of a fill for staged event files: the envelope as columns, and `data` as JSON or in the shape of its
// type, derived from the catalogue. Fields with several possible types (a number or the reason why there is none) stay
// JSON.
import { z } from 'zod';
import { currentVersion, type EventType } from '../../../schemas/family.ts';
import { fileList, quote, quoteName } from '../../base/sql-quoting.ts';

/** Stores limit events to a megabyte. DuckDB allocates twice this size per thread, so it is set explicitly. */
const longestLine = 4_000_000;

/** The shape of `data`: that of its type's current version, or JSON as recorded. */
export type Shape = { readonly current: string } | 'recorded';

/** A batch of events of one type as fills see it; unreadable lines are left out. */
export function batchSource(files: readonly string[], shape: Shape): string {
  const type = shape === 'recorded' ? 'JSON' : shape.current;
  const event = `STRUCT(id UUID, stream VARCHAR, revision UINTEGER, "type" VARCHAR, "version" USMALLINT, "at" TIMESTAMPTZ,
    actor VARCHAR, run VARCHAR, stage USMALLINT, causes JSON, data ${type})`;
  // For upcast events, the original data is in a separate column.
  const columns = `{recorded: 'BIGINT', digest: 'VARCHAR', event: ${quote(event)}, original: 'JSON'}`;
  const data = shape === 'recorded' ? 'coalesce(original, event.data)' : 'event.data';
  return `(SELECT event.id AS id, event.stream AS stream, event.revision AS revision, event."type" AS "type",
    event."version" AS "version", make_timestamp(epoch_us(event."at")) AS happened_at, epoch_ms(recorded) AS recorded_at, event.actor AS actor,
    event.run AS run_id, event.stage AS stage, event.causes AS causes, digest, ${data} AS data
    FROM read_json(${fileList(files)}, format = 'newline_delimited', ignore_errors = true,
      maximum_object_size = ${longestLine}, columns = ${columns})
    WHERE event.stream IS NOT NULL)`;
}

const shapes = new WeakMap<EventType, SqlType>();

/** A type as SQL writes it. */
type SqlType = string;

/**
 * The type of `data` of an event type in its current version; JSON for an unknown type. Cached, because computing it
 * costs more than filling a small batch.
 */
export function shapeFor(declared: EventType | undefined): SqlType {
  const schema = declared?.versions[currentVersion(declared) - 1];
  if (declared === undefined || schema === undefined) return 'JSON';
  const shape = shapes.get(declared) ?? typeOf(z.toJSONSchema(schema) as JsonSchema);
  shapes.set(declared, shape);
  return shape;
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

/** A nullable type is the type itself; a union of several types is JSON. */
function typeOfAny(options: readonly JsonSchema[]): SqlType {
  const [only, ...others] = options.filter(({ type }) => type !== 'null');
  return only === undefined || others.length > 0 ? 'JSON' : typeOf(only);
}

function typeOfObject(properties: Readonly<Record<string, JsonSchema>>): SqlType {
  const fields = Object.entries(properties).map(([name, schema]) => `${quoteName(name)} ${typeOf(schema)}`);
  return fields.length === 0 ? 'JSON' : `STRUCT(${fields.join(', ')})`;
}

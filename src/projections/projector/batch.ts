// How files of spooled events stand in the FROM of a fill: the envelope as columns, and `data` as JSON or in the shape of its
// type, made from the catalogue: what a field may hold decides its type. Whatever may be several things (a number or the reason
// why there is none) stays JSON, for the tables to take apart.
import { z } from 'zod';
import { currentVersion, type EventType } from '../../../schemas/family.ts';
import { fileList, quote, quoteName } from '../sql.ts';

/** Stores take events of a megabyte at most. DuckDB makes room for twice as much with each thread, so that it is not left to it. */
const longestLine = 4_000_000;

/** What an event says: in the shape of its type's current version, or as JSON the way it was recorded. */
export type Shape = { readonly current: string } | 'recorded';

/** A batch of events of one type as fills see it; lines that cannot be read are left out. */
export function batchSource(files: readonly string[], shape: Shape): string {
  const type = shape === 'recorded' ? 'JSON' : shape.current;
  const event = `STRUCT(id UUID, stream VARCHAR, revision UINTEGER, "type" VARCHAR, "version" USMALLINT, "at" TIMESTAMPTZ,
    actor VARCHAR, run VARCHAR, stage USMALLINT, causes JSON, data ${type})`;
  // Of what was upcast, the data as they were recorded stand beside.
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
 * The type of `data` of an event type in its current version; JSON for a type that is not known. Cached: it costs more to make
 * than a small batch to fill.
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

/** Something or null is that something; several kinds of things are read as they stand. */
function typeOfAny(options: readonly JsonSchema[]): SqlType {
  const [only, ...others] = options.filter(({ type }) => type !== 'null');
  return only === undefined || others.length > 0 ? 'JSON' : typeOf(only);
}

function typeOfObject(properties: Readonly<Record<string, JsonSchema>>): SqlType {
  const fields = Object.entries(properties).map(([name, schema]) => `${quoteName(name)} ${typeOf(schema)}`);
  return fields.length === 0 ? 'JSON' : `STRUCT(${fields.join(', ')})`;
}

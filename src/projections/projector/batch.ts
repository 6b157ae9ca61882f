// How a file of spooled events stands in the FROM of a fill: the envelope as columns, and `data` either in the shape of
// its type or as JSON.
import type { EventType } from '../../../schemas/family.ts';
import { fileList, quote } from '../sql.ts';
import { shapeOf } from './shape.ts';

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

const shapes = new WeakMap<EventType, string>();

/** Cached: the shape of a type costs more to make than a small batch to fill. */
export function shapeFor(declared: EventType | undefined): string {
  if (declared === undefined) return shapeOf(declared);
  const known = shapes.get(declared) ?? shapeOf(declared);
  shapes.set(declared, known);
  return known;
}

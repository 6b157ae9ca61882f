// Events as a table: the columns of Parquet and Arrow.
import type { DocumentedTable } from '../../../projections/documentation.ts';

export const eventsTable: DocumentedTable = {
  name: 'events',
  meaning: 'Events: each as it was recorded, whole.',
  columns: [
    { name: 'type', type: 'VARCHAR', meaning: 'its type; docs/events.md lists them' },
    { name: 'run', type: 'VARCHAR', meaning: 'the run it belongs to; null where it belongs to none' },
    { name: 'stage', type: 'BIGINT', meaning: 'its stage; null where it belongs to none' },
    { name: 'happened_at', type: 'TIMESTAMP', meaning: 'when it happened (UTC)' },
    { name: 'recorded_at', type: 'TIMESTAMP', meaning: 'when the ledger wrote it (UTC)' },
    { name: 'actor', type: 'VARCHAR', meaning: 'who did it, as kind/identity' },
    { name: 'data', type: 'JSON', meaning: 'what it says, as JSON' },
    { name: 'stream', type: 'VARCHAR', meaning: 'its stream' },
    { name: 'revision', type: 'BIGINT', meaning: 'its place there, from 0' },
    { name: 'version', type: 'BIGINT', meaning: 'the version of its type' },
    { name: 'causes', type: 'JSON', meaning: 'what led to it, as JSON' },
    { name: 'previous', type: 'VARCHAR', meaning: 'the digest of the event before it, where the stream is a chain' },
    { name: 'digest', type: 'VARCHAR', meaning: 'SHA-256 of its bytes' },
    { name: 'id', type: 'VARCHAR', meaning: 'its id' },
    { name: 'run_id', type: 'VARCHAR', meaning: 'the identity of the run' },
  ],
};

/** From the lines of events, as they are spooled, to these columns. `names` is a table of runs by identity. */
export function queryOf(files: string): string {
  return `SELECT e.type, coalesce(n.name, e.run) AS run, e.stage, ${moment('at')} AS happened_at,
    ${moment('recordedAt')} AS recorded_at, e.actor, e.data, e.stream, e.revision, e.version, e.causes, e.previous,
    e.digest, e.id, e.run AS run_id
  FROM read_json(${files}, format = 'newline_delimited', maximum_object_size = 16777216, columns = {
    type: 'VARCHAR', run: 'VARCHAR', stage: 'BIGINT', "at": 'VARCHAR', "recordedAt": 'VARCHAR', actor: 'VARCHAR',
    data: 'JSON', stream: 'VARCHAR', revision: 'BIGINT', version: 'BIGINT', causes: 'JSON', previous: 'VARCHAR',
    digest: 'VARCHAR', id: 'VARCHAR'}) AS e
  LEFT JOIN names AS n ON n.run = e.run`;
}

function moment(column: string): string {
  return `timezone('UTC', TRY_CAST(e."${column}" AS TIMESTAMPTZ))`;
}

// icecore export: tables, events, or a whole run, for other programs and other places.
import type { CommandFamily } from '../command.ts';

const notes = `
Tables and events leave as Parquet, Arrow or NDJSON, which Spark, Trino, DuckDB, Polars and pandas read as they are. A
bundle is a run as one file: its events, texts, checkpoints and recorded answers, which icecore import bundle opens in
another ledger, where icecore verify proves it. icecore export --bundle RUN is the same as icecore export bundle RUN.
docs/export.md says what is in the files.
`;

export const command: CommandFamily = {
  notes,
  examples: [
    ['icecore export tables --to warehouse', 'All tables as Parquet, partitioned by run and stage'],
    ['icecore export events --format cloudevents > events.ndjson', 'Every event as a CloudEvent, one a line'],
    ['icecore export --bundle latest', 'A run as one file, to give away'],
  ],
  members: [
    {
      name: 'tables',
      summary: 'Write tables as Parquet, Arrow or NDJSON',
      load: () => import('./export/tables.ts'),
    },
    {
      name: 'events',
      summary: 'Write events as NDJSON, CloudEvents, Parquet or Arrow',
      load: () => import('./export/events.ts'),
    },
    {
      name: 'bundle',
      summary: 'Pack a run into one file that can be opened elsewhere',
      load: () => import('./export/bundle.ts'),
    },
  ],
  alsoCalled: { '--bundle': 'bundle' },
};

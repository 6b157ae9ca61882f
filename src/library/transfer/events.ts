// `export events`: events as NDJSON, CloudEvents, Parquet or Arrow, to a file, a folder or a sink.
import { rename, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { toCloudEvent } from '../../../schemas/cloudevents.ts';
import type { ExportEventsResult } from '../../../schemas/export-output.ts';
import { type EventsFolder, eventsIntoFolder } from '../../analysis/export/events/folder.ts';
import { headOf, namesOfRuns, type StageRange, selectedEvents } from '../../analysis/export/events/selection.ts';
import { stagedAsParquet, stageEvents, withStaged } from '../../analysis/export/events/staging.ts';
import { TextFiles } from '../../analysis/export/events/texts.ts';
import { wantedRuns } from '../../analysis/export/runs.ts';
import { jsonText } from '../../base/printable-json.ts';
import type { Sink } from '../../base/sink.ts';
import { withWorkingFolder } from '../../base/temporary.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { openBlobsIfThere } from '../../ledger/blobs/open.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { eventJson } from '../events/json.ts';
import { requireTypes } from '../events/read.ts';
import { blobsUrl } from '../opening/blobs.ts';
import { withLedgerToRead } from '../opening/ledger.ts';
import { tablesFolder } from '../opening/tables.ts';
import { requireOneOf } from '../option-error.ts';
import { refuseToOverwrite } from '../place/files.ts';
import { findPlace } from '../place/place.ts';
import { type Session, SessionProgress } from '../session.ts';
import { icecoreVersion } from '../version.ts';
import { intoFile } from './into-file.ts';
import { arrowOf, type RunsToExport, runsToExport, targetFolder } from './tables.ts';

/** The formats for exported events. */
export type EventsFormat = ExportEventsResult['as'];

const formatsInto: Readonly<Record<EventsDestination['kind'], readonly EventsFormat[]>> = {
  sink: ['ndjson', 'cloudevents', 'arrow'],
  file: ['ndjson', 'cloudevents', 'parquet', 'arrow'],
  folder: ['ndjson', 'cloudevents', 'parquet'],
};

/** A file that is replaced, a folder as in `export tables`, or a sink. */
export type EventsDestination =
  | { readonly kind: 'sink'; readonly sink: Sink }
  | { readonly kind: 'file'; readonly to: string }
  | { readonly kind: 'folder'; readonly to: string };

/** Which events to export. */
export interface ExportEventsOptions extends RunsToExport {
  readonly types?: readonly string[];
  readonly stages?: readonly StageRange[];
  /** Also export texts that are stored as blobs. */
  readonly texts?: boolean;
}

/** Null for a sink. */
export async function exportEvents(
  session: Session,
  destination: EventsDestination,
  as: EventsFormat,
  options: ExportEventsOptions = {},
): Promise<ExportEventsResult | null> {
  const { types = null, stages = null, texts = false } = options;
  requireOneOf(`format into a ${destination.kind}`, as, formatsInto[destination.kind]);
  const asked = runsToExport(options);
  return await withLedgerToRead(session, async (ledger) => {
    if (types !== null) await requireTypes(ledger, '--type', types);
    const runs = await wantedRuns(ledger, asked);
    const blobs = texts ? await openBlobsIfThere(blobsUrl(session)) : null;
    const progress = new SessionProgress(session, 'events');
    const started = performance.now();
    try {
      const head = await headOf(ledger);
      const events = selectedEvents(ledger, { runs, types, stages }, head.cursor);
      const work = { session, ledger, head, events, runs, as, texts: texts ? { blobs } : null, progress };
      const done = await written(work, destination);
      if (done === null) return null;
      const seconds = Number(((performance.now() - started) / 1000).toFixed(3));
      return { ledger: ledger.url, as, runs: runs === null ? null : [...runs], ...done, seconds };
    } finally {
      await progress.end();
      await blobs?.close();
    }
  });
}

interface Work extends Pick<EventsFolder, 'ledger' | 'head' | 'events' | 'runs'> {
  readonly session: Session;
  readonly as: EventsFormat;
  readonly texts: { readonly blobs: Blobs | null } | null;
  readonly progress: SessionProgress;
}

type Done = Omit<ExportEventsResult, 'ledger' | 'as' | 'runs' | 'seconds'>;

async function written(work: Work, destination: EventsDestination): Promise<Done | null> {
  const { session, as } = work;
  switch (destination.kind) {
    case 'sink':
      await toSink(work, destination.sink, tablesFolder(session, work.ledger));
      return null;
    case 'file':
      return await toFile(work, resolve(session.cwd, destination.to));
    case 'folder':
      return await toFolder(
        { ...work, as: as === 'arrow' ? 'parquet' : as },
        targetFolder(session.cwd, destination.to),
      );
  }
}

async function toFolder(
  { session, ledger, head, events, runs, as, texts, progress }: Work & { readonly as: EventsFolder['as'] },
  to: string,
): Promise<Done> {
  const { manifest, replaced, missing } = await eventsIntoFolder({
    ledger,
    head,
    events,
    to,
    as,
    line: lineIn(as),
    runs,
    texts,
    icecore: icecoreVersion(),
    signal: session.signal,
    onProgress: (done) => progress.update(done, null),
  });
  const [own, beside] = manifest.tables;
  const bytes = own?.files.reduce((sum, file) => sum + file.bytes, 0) ?? 0;
  return {
    to,
    replaced,
    events: own?.rows ?? 0,
    files: own?.files.length ?? 0,
    bytes,
    texts: beside?.rows ?? 0,
    missing,
  };
}

async function toFile(work: Work, to: string): Promise<Done> {
  const { session, texts, as } = work;
  const path = refuseToOverwrite(session.cwd, to, '-', findPlace(session).ledger.files, '--output');
  const beside = texts === null ? null : new TextFiles(`${path}.texts`, texts.blobs);
  const events = looked(work.events, beside);
  const count =
    as === 'parquet'
      ? await asParquetFile({ ...work, events }, path)
      : await intoFile(path, (sink) => toSink({ ...work, events }, sink, dirname(path)));
  const { size: bytes } = await stat(path);
  return {
    to: path,
    replaced: false,
    events: count,
    files: 1,
    bytes,
    texts: beside?.files.length ?? 0,
    missing: beside?.missing ?? 0,
  };
}

async function* looked(
  events: AsyncIterable<readonly StoredEvent[]>,
  texts: TextFiles | null,
): AsyncGenerator<readonly StoredEvent[]> {
  for await (const some of events) {
    await texts?.add(some);
    yield some;
  }
}

/** Writes of moderate size: neither many small writes nor one huge one. */
const chunkLength = 64 * 1024;

/** Returns the number of events. `near`: a folder for temporary files. */
async function toSink(work: Work, sink: Sink, near: string): Promise<number> {
  const { session, events, as, progress } = work;
  if (as === 'arrow') return await asArrow(work, sink, near);
  const line = lineIn(as);
  let [count, chunk] = [0, ''];
  for await (const some of events) {
    for (const event of some) {
      chunk += `${line(event)}\n`;
      if (chunk.length < chunkLength) continue;
      await sink.write(chunk);
      chunk = '';
    }
    count += some.length;
    await progress.update(count, null);
    session.signal.throwIfAborted();
  }
  if (chunk !== '') await sink.write(chunk);
  return count;
}

function lineIn(as: EventsFormat): (event: StoredEvent) => string {
  if (as === 'cloudevents') return (event) => jsonText(toCloudEvent(event.toJSON()));
  return (event) => eventJson(event, {});
}

async function asParquetFile({ session, ledger, events, progress }: Work, path: string): Promise<number> {
  return await withWorkingFolder(dirname(path), async (working) => {
    const staged = await stageEvents(events, join(working, 'staging'), (done) => progress.update(done, null));
    const names = await namesOfRuns(ledger);
    const { files } = await stagedAsParquet(staged, { folder: working, working, names }, [], session.signal);
    for (const file of files) await rename(join(working, file.path), path);
    return staged.events;
  });
}

async function asArrow({ session, ledger, events, progress }: Work, sink: Sink, near: string): Promise<number> {
  return await withWorkingFolder(near, async (working) => {
    const staged = await stageEvents(events, join(working, 'staging'), (done) => progress.update(done, null));
    const names = await namesOfRuns(ledger);
    return await withStaged(staged, working, names, async (connection, query) => {
      const rows = await arrowOf(connection, query, sink, session.signal);
      return { rows, result: rows };
    });
  });
}

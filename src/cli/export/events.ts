// What `icecore export events` does.

import { rename, stat } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';
import { toCloudEvent } from '../../../schemas/cloudevents.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { ExportEventsResult } from '../../../schemas/export-output.ts';
import { type EventsFolder, eventsIntoFolder } from '../../analysis/export/events/folder.ts';
import { headOf } from '../../analysis/export/events/head.ts';
import { namesOfRuns } from '../../analysis/export/events/names.ts';
import { type StageRange, selectedEvents } from '../../analysis/export/events/selection.ts';
import { spool, spooledAsParquet, withSpooled } from '../../analysis/export/events/spool.ts';
import { TextFiles } from '../../analysis/export/events/texts.ts';
import { wantedRuns } from '../../analysis/export/runs-wanted.ts';
import { jsonText } from '../../base/printable-json.ts';
import { counted, duration, size } from '../../base/quantity.ts';
import type { Sink } from '../../base/sink.ts';
import { visible } from '../../base/visible.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { openBlobsIfThere } from '../../ledger/blobs/open.ts';
import { isFolder } from '../../ledger/folders.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { withWorkingFolder } from '../../ledger/temporary.ts';
import { blobsUrl } from '../../library/opening/blobs.ts';
import { withLedgerToRead } from '../../library/opening/ledger.ts';
import { tablesFolder } from '../../library/opening/tables.ts';
import { findPlace } from '../../library/place/place.ts';
import { icecoreVersion } from '../../library/version.ts';
import type { Context } from '../context.ts';
import { eventJson } from '../events/event-lines.ts';
import { requireTypes } from '../events/tail.ts';
import { Progress } from '../output/progress.ts';
import { refuseToOverwrite } from '../source.ts';
import { intoFile } from '../sql/destinations.ts';
import { arrowOf, type RunsTyped, runsAsked, targetFolder } from './tables.ts';

type EventsFormat = ExportEventsResult['as'];

interface ExportEventsOptions extends RunsTyped {
  readonly output?: string;
  readonly format?: EventsFormat;
  readonly type?: readonly string[];
  readonly stage?: readonly StageRange[];
  readonly texts?: true;
}

type Destination =
  | { readonly kind: 'stdout' }
  | { readonly kind: 'file'; readonly to: string }
  | { readonly kind: 'folder'; readonly to: string };

const endings: Readonly<Record<string, EventsFormat>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.parquet': 'parquet',
  '.arrow': 'arrow',
  '.arrows': 'arrow',
};

const knownEndings = Object.keys(endings).join(', ');

function formatBy(to: string): EventsFormat {
  const format = endings[extname(to).toLowerCase()];
  if (format !== undefined) return format;
  throw new IcecoreError('usage', `--output: "${to}" does not say in which format`, {
    facts: { field: '--output', found: to, allowed: knownEndings },
    remedy: `Give it one of the endings ${knownEndings}, name the format (--format ndjson), or put / behind a folder.`,
  });
}

/** `path` is where `to` leads from here. */
function destinationOf(to: string | undefined, path: string): Destination {
  if (to === undefined || to === '-') return { kind: 'stdout' };
  if (extname(to).toLowerCase() === '' || to.endsWith('/') || isFolder(path)) return { kind: 'folder', to };
  return { kind: 'file', to };
}

/** Throws on what cannot be meant together. */
function formatOf({ format, texts }: ExportEventsOptions, destination: Destination, isTTY: boolean): EventsFormat {
  const found = format ?? (destination.kind === 'file' ? formatBy(destination.to) : 'ndjson');
  if (destination.kind === 'stdout' && texts === true) throw misused('--texts without --output: they need a place');
  if (destination.kind === 'stdout' && found === 'parquet')
    throw misused('--format parquet without --output: it needs a file');
  if (destination.kind === 'stdout' && found === 'arrow' && isTTY)
    throw misused('--format arrow without --output: a terminal cannot show it');
  if (destination.kind === 'folder' && found === 'arrow')
    throw misused('--format arrow into a folder: it is one file, as in --output events.arrow');
  return found;
}

function misused(what: string): IcecoreError {
  return new IcecoreError('usage', `export events: ${what}`, {
    facts: { command: 'export events' },
    remedy: 'icecore export events --help shows its options.',
  });
}

export async function exportEvents(context: Context, options: ExportEventsOptions): Promise<number> {
  const { io } = context;
  const destination = destinationOf(options.output, resolve(io.cwd, options.output ?? ''));
  const as = formatOf(options, destination, io.stdout.isTTY);
  const { type: types = null, stage: stages = null } = options;
  const asked = runsAsked(options);
  return await withLedgerToRead(context.session, async (ledger) => {
    if (types !== null) await requireTypes(ledger, '--type', types);
    const runs = await wantedRuns(ledger, asked);
    const blobs = options.texts === true ? await openBlobsIfThere(blobsUrl(context.session)) : null;
    const progress = new Progress(context, 'events');
    const started = performance.now();
    try {
      const head = await headOf(ledger);
      const events = selectedEvents(ledger, { runs, types, stages }, head.cursor);
      const work = {
        context,
        ledger,
        head,
        events,
        runs,
        as,
        texts: options.texts === true ? { blobs } : null,
        progress,
      };
      const done = await written(work, destination);
      await progress.end();
      const seconds = Number(((performance.now() - started) / 1000).toFixed(3));
      if (done !== null)
        await tell(context, { ledger: ledger.url, as, runs: runs === null ? null : [...runs], ...done, seconds });
      return 0;
    } finally {
      await progress.end();
      await blobs?.close();
    }
  });
}

interface Work extends Pick<EventsFolder, 'ledger' | 'head' | 'events' | 'runs'> {
  readonly context: Context;
  readonly as: EventsFormat;
  readonly texts: { readonly blobs: Blobs | null } | null;
  readonly progress: Progress;
}

type Done = Omit<ExportEventsResult, 'ledger' | 'as' | 'runs' | 'seconds'>;

/** Null where it went to standard output. */
async function written(work: Work, destination: Destination): Promise<Done | null> {
  const { context, as } = work;
  switch (destination.kind) {
    case 'stdout':
      await toSink(work, context.io.stdout, tablesFolder(context.io, work.ledger));
      return null;
    case 'file':
      return await toFile(work, resolve(context.io.cwd, destination.to));
    case 'folder':
      return await toFolder({ ...work, as: as === 'arrow' ? 'parquet' : as }, targetFolder(context, destination.to));
  }
}

async function toFolder(
  { context, ledger, head, events, runs, as, texts, progress }: Work & { readonly as: EventsFolder['as'] },
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
    signal: context.signal,
    onProgress: (done) => progress.update({ done }),
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
  const { context, texts, as } = work;
  const path = refuseToOverwrite(context, to, '-', findPlace(context.session).ledger.files, '--output');
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

/** What is written at once, so that neither many small writes nor one huge one is waited for. */
const chunkLength = 64 * 1024;

/** How many. `near` is a folder in which it may work. */
async function toSink(work: Work, sink: Sink, near: string): Promise<number> {
  const { context, events, as, progress } = work;
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
    await progress.update({ done: count });
    context.signal.throwIfAborted();
  }
  if (chunk !== '') await sink.write(chunk);
  return count;
}

function lineIn(as: EventsFormat): (event: StoredEvent) => string {
  if (as === 'cloudevents') return (event) => jsonText(toCloudEvent(event.toJSON()));
  return (event) => eventJson(event, {});
}

async function asParquetFile({ context, ledger, events, progress }: Work, path: string): Promise<number> {
  return await withWorkingFolder(dirname(path), async (working) => {
    const spooled = await spool(events, join(working, 'spool'), (done) => progress.update({ done }));
    const names = await namesOfRuns(ledger);
    const { files } = await spooledAsParquet(spooled, { folder: working, working, names }, [], context.signal);
    for (const file of files) await rename(join(working, file.path), path);
    return spooled.events;
  });
}

async function asArrow({ context, ledger, events, progress }: Work, sink: Sink, near: string): Promise<number> {
  return await withWorkingFolder(near, async (working) => {
    const spooled = await spool(events, join(working, 'spool'), (done) => progress.update({ done }));
    const names = await namesOfRuns(ledger);
    return await withSpooled(spooled, working, names, async (connection, query) => {
      const rows = await arrowOf(connection, query, sink, context.signal);
      return { rows, result: rows };
    });
  });
}

async function tell(context: Context, result: ExportEventsResult): Promise<void> {
  if (context.flags.json) return await context.printJson(result);
  const { events, files, bytes, seconds, to, texts, missing, replaced } = result;
  const what = `${counted(events, 'event')} in ${counted(files, 'file')}, ${size(bytes)}, ${duration(seconds)}`;
  await context.print(`${visible(`${what}, ${replaced ? 'in the place of the export before, ' : ''}in ${to}`)}\n`);
  if (texts > 0) await context.print(`${counted(texts, 'text')} beside\n`);
  if (missing > 0)
    await context.say(`${counted(missing, 'text')} ${missing === 1 ? 'is' : 'are'} erased or lost, and left out`);
}

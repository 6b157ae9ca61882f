// What `icecore export events` does.
import { extname, resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { ExportEventsResult } from '../../../schemas/export-output.ts';
import { escapeControls } from '../../base/escape.ts';
import { isFolder } from '../../base/folders.ts';
import { counted, duration, size } from '../../base/quantity.ts';
import { type EventsFormat, type ExportEventsOptions, exportEvents } from '../../library/transfer/events.ts';
import type { Context } from '../context.ts';

interface ExportEventsFlags extends ExportEventsOptions {
  readonly output?: string;
  readonly format?: EventsFormat;
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
    remedy: `Give it one of the endings ${knownEndings}, name the format (--format ndjson), or end a folder with /.`,
  });
}

/** `path`: `to`, resolved from here. */
function destinationOf(to: string | undefined, path: string): Destination {
  if (to === undefined || to === '-') return { kind: 'stdout' };
  if (extname(to).toLowerCase() === '' || to.endsWith('/') || isFolder(path)) return { kind: 'folder', to };
  return { kind: 'file', to };
}

/** Throws on contradictory options. */
function formatOf(
  { format, texts }: { readonly format: EventsFormat | undefined; readonly texts?: boolean },
  destination: Destination,
  isTTY: boolean,
): EventsFormat {
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

export async function exportEventsTo(
  context: Context,
  { output, format, ...options }: ExportEventsFlags,
): Promise<number> {
  const { io, session } = context;
  const destination = destinationOf(output, resolve(io.cwd, output ?? ''));
  const as = formatOf({ format, ...options }, destination, io.stdout.isTTY);
  const to = destination.kind === 'stdout' ? ({ kind: 'sink', sink: io.stdout } as const) : destination;
  const result = await exportEvents(session, to, as, options);
  if (result !== null) await tell(context, result);
  return 0;
}

async function tell(context: Context, result: ExportEventsResult): Promise<void> {
  if (context.flags.json) return await context.printJson(result);
  const { events, files, bytes, seconds, to, texts, missing, replaced } = result;
  const what = `${counted(events, 'event')} in ${counted(files, 'file')}, ${size(bytes)}, ${duration(seconds)}`;
  await context.print(`${escapeControls(`${what}, ${replaced ? 'replacing the previous export, ' : ''}in ${to}`)}\n`);
  if (texts > 0) await context.print(`${counted(texts, 'text')} beside them\n`);
  if (missing > 0)
    await context.say(`${counted(missing, 'text')} ${missing === 1 ? 'is' : 'are'} erased or lost, and left out`);
}

// What was asked for on the command line of `icecore export events`.
import { extname } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { ExportEventsResult } from '../../../schemas/export-output.ts';
import type { StageRange } from '../../analysis/export/events/selection.ts';
import { isFolder } from '../../ledger/folders.ts';
import type { RunsTyped } from './runs-asked.ts';

export type EventsFormat = ExportEventsResult['as'];

export interface ExportEventsOptions extends RunsTyped {
  readonly output?: string;
  readonly format?: EventsFormat;
  readonly type?: readonly string[];
  readonly stage?: readonly StageRange[];
  readonly texts?: true;
}

export type Destination =
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
export function destinationOf(to: string | undefined, path: string): Destination {
  if (to === undefined || to === '-') return { kind: 'stdout' };
  if (extname(to).toLowerCase() === '' || to.endsWith('/') || isFolder(path)) return { kind: 'folder', to };
  return { kind: 'file', to };
}

/** Throws on what cannot be meant together. */
export function formatOf(
  { format, texts }: ExportEventsOptions,
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

// What was asked for on the command line of `icecore export events`.
import { extname } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { ExportEventsResult } from '../../../schemas/export-output.ts';
import type { StageRange } from '../../analysis/export/events/selection.ts';
import { isFolder } from '../../ledger/folders.ts';
import { listed, type RunsTyped } from './runs-asked.ts';

export type EventsFormat = ExportEventsResult['as'];

export interface ExportEventsOptions extends RunsTyped {
  readonly to?: string;
  readonly format?: EventsFormat;
  readonly types?: string;
  readonly stages?: string;
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
  throw new IcecoreError('usage', `--to: "${to}" does not say in which format`, {
    facts: { field: '--to', found: to, allowed: knownEndings },
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
  if (destination.kind === 'stdout' && texts === true) throw misused('--texts without --to: they need a place');
  if (destination.kind === 'stdout' && found === 'parquet')
    throw misused('--format parquet without --to: it needs a file');
  if (destination.kind === 'stdout' && found === 'arrow' && isTTY)
    throw misused('--format arrow without --to: a terminal cannot show it');
  if (destination.kind === 'folder' && found === 'arrow')
    throw misused('--format arrow into a folder: it is one file, as in --to events.arrow');
  return found;
}

export function typesOf(typed: string | undefined): readonly string[] | null {
  return typed === undefined ? null : listed('--types', typed);
}

export function stagesOf(typed: string | undefined): readonly StageRange[] | null {
  if (typed === undefined) return null;
  return listed('--stages', typed).map((part) => {
    const [, from = '', to = from] = /^([1-9][0-9]{0,4})(?:-([1-9][0-9]{0,4}))?$/.exec(part) ?? [];
    if (from !== '' && Number(from) <= Number(to)) return { from: Number(from), to: Number(to) };
    throw new IcecoreError('usage', `--stages: found "${part}", allowed: stages from 1, as in 2 or 1,3-5`, {
      facts: { field: '--stages', found: part },
    });
  });
}

function misused(what: string): IcecoreError {
  return new IcecoreError('usage', `export events: ${what}`, {
    facts: { command: 'export events' },
    remedy: 'icecore export events --help shows what it takes.',
  });
}

// An importer in the fewest words: which records a file has. icecore reads it twice: first to check everything, then to write it.
import type { z } from 'zod';
import type { ImporterEntry, ImportRequest } from '../../lab/registry.ts';
import type { RecordToImport } from '../../producers/imports/records.ts';

/** What an importer reads from. */
export interface RecordsRequest<Settings> extends Omit<ImportRequest, 'settings'> {
  readonly settings: Settings;
  /** Of the file, in UTF-8, without their ends. */
  lines(): AsyncIterable<string>;
}

/** What `defineImporter` takes. */
export interface ImporterDefinition<Settings> {
  /** As it is typed: `icecore import NAME FILE`. Small letters, digits and -. */
  readonly name: string;
  /** What it reads, in a few words. */
  readonly summary: string;
  /** The settings it takes, an object; left out: none. */
  readonly settings?: z.ZodType<Settings>;
  /** How long a record may take; 60 where it is left out. */
  readonly seconds?: number;

  /** From the beginning of the file each time it is called. A fault of the file is an IcecoreError. */
  records(request: RecordsRequest<Settings>): Iterable<RecordToImport> | AsyncIterable<RecordToImport>;
}

export type AnyImporterDefinition = ImporterDefinition<unknown>;

/** What is registered. `plugin`: whose it is, for messages. */
export interface DefinedImporter extends Omit<ImporterEntry, 'records'> {
  /** The records of a file, from its beginning; the same in the same order each time. Throws PluginFault. */
  records(given: ImportRequest, plugin?: string): AsyncIterable<object>;
}

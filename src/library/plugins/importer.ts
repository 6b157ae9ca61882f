// The definition of an importer: which records a file has. icecore reads the file twice: to check everything, then to write it.
import type { z } from 'zod';
import type { ImporterEntry, ImportRequest } from '../../lab/registry.ts';
import type { RecordToImport } from '../../producers/imports/records.ts';

/** The input of an importer. */
export interface RecordsRequest<Settings> extends Omit<ImportRequest, 'settings'> {
  readonly settings: Settings;
  /** Lines of the file as UTF-8, without line ends. */
  lines(): AsyncIterable<string>;
}

/** What `defineImporter` takes. */
export interface ImporterDefinition<Settings> {
  /** As typed: `icecore import NAME FILE`. Lower-case letters, digits and -. */
  readonly name: string;
  /** What it reads, in a few words. */
  readonly summary: string;
  /** The settings it takes, as an object (default: none). */
  readonly settings?: z.ZodType<Settings>;
  /** Time limit of one record in seconds (default 60). */
  readonly seconds?: number;

  /** Starts from the beginning of the file on every call. An error of the file is an IcecoreError. */
  records(request: RecordsRequest<Settings>): Iterable<RecordToImport> | AsyncIterable<RecordToImport>;
}

export type AnyImporterDefinition = ImporterDefinition<unknown>;

/** A registered importer. `plugin`: its plugin, for messages. */
export interface DefinedImporter extends Omit<ImporterEntry, 'records'> {
  /** The records of a file, from its beginning, the same on every call. Throws PluginFault. */
  records(given: ImportRequest, plugin?: string): AsyncIterable<object>;
}

// All tables and the event types they are filled from.
import { readFileSync } from 'node:fs';
import { eventTypes } from '../../../schemas/catalogue.ts';
import type { EventTypes } from '../../../schemas/check.ts';
import { fingerprints } from '../../../schemas/fingerprints.ts';
import { parseDefinition, type TableDefinition } from './definition.ts';
import { tableNames } from './names.ts';

let read: readonly TableDefinition[] | undefined;

export function tableDefinitions(): readonly TableDefinition[] {
  read ??= tableNames.map((name) =>
    parseDefinition(name, readFileSync(new URL(`./${name}.sql`, import.meta.url), 'utf8').replaceAll('\r\n', '\n')),
  );
  return read;
}

/** Everything that determines the content of tables, apart from the events. */
export interface TableCatalogue {
  readonly definitions: readonly TableDefinition[];
  /** The readable types. Events of other types and versions are only in table `events`. */
  readonly types: EventTypes;
  /** For each type, a fingerprint that changes when its events are read differently. */
  readonly fingerprints: ReadonlyMap<string, string>;
  /** Plugin types with tables. Their events are read as recorded, because no schema is known here. */
  readonly ownTypes: ReadonlySet<string>;
}

let own: TableCatalogue | undefined;

/** The tables and types of this version of icecore. */
export function tableCatalogue(): TableCatalogue {
  own ??= {
    definitions: tableDefinitions(),
    types: eventTypes,
    fingerprints: new Map(Object.entries(fingerprints)),
    ownTypes: new Set(),
  };
  return own;
}

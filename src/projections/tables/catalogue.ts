// All tables and the types of events they are filled from.
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

/** All that decides what tables hold, beside the events. */
export interface TableCatalogue {
  readonly definitions: readonly TableDefinition[];
  /** The types that can be read. Events of others, and of versions that they do not have, stand in table `events` alone. */
  readonly types: EventTypes;
  /** Of each type, what changes when its events are read otherwise. */
  readonly fingerprints: ReadonlyMap<string, string>;
  /** Types of plugins that have tables. Their events are read as they were recorded, since nothing here knows more of them. */
  readonly ownTypes: ReadonlySet<string>;
}

let own: TableCatalogue | undefined;

/** The tables and types of this icecore. */
export function tableCatalogue(): TableCatalogue {
  own ??= {
    definitions: tableDefinitions(),
    types: eventTypes,
    fingerprints: new Map(Object.entries(fingerprints)),
    ownTypes: new Set(),
  };
  return own;
}

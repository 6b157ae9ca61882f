// Bringing one open file of tables up to date: what it lacks of the ledger is filled, and tables whose definition has
// changed are filled anew.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Cursor } from '../../ledger/event.ts';
import type { UnknownEvents } from '../../ledger/unknown-events.ts';
import { Filling, fillAllRows } from '../model/filling.ts';
import { type TableCatalogue, tableCatalogue } from '../tables/catalogue.ts';
import type { TableDefinition } from '../tables/definition.ts';
import { BrokenTables } from '../warehouse/errors.ts';
import { addUp, fillBatch, fillTables } from './filling.ts';
import { isAsLaidOut } from './inventory.ts';
import {
  dropOutdated,
  inTransaction,
  isEmptyFile,
  isOf,
  isUpToDefinition,
  layOut,
  makeStored,
  makeViews,
  markFilled,
  outdated,
  type Position,
  positionOf,
  unknownIn,
  unreadIn,
} from './layout.ts';
import { type BatchLimits, inBatches } from './reading.ts';
import { isOfHistory, type Source } from './source.ts';
import type { Batch } from './spool.ts';

export interface FillOptions {
  readonly signal?: AbortSignal | undefined;
  /** Of a batch, which becomes visible at once. */
  readonly limits?: BatchLimits | undefined;
  /** Told after each batch: how many events of the ledger the tables know now. */
  readonly progress?: ((events: number) => void) | undefined;
  /** What to fill, and from which types; without it, the tables and types of this icecore. */
  readonly catalogue?: TableCatalogue | undefined;
}

export interface CaughtUp {
  /** How many events were filled in. */
  readonly added: number;
  /** How many events of the ledger the tables know. */
  readonly events: number;
  /** Of the last of them; null where there is none. */
  readonly cursor: Cursor | null;
  readonly position: Position | null;
  /** How many of all events cannot be read, and are in no table. */
  readonly unread: number;
  /** Those of types or versions that are not known, which stand in table `events` alone. */
  readonly unknown: readonly UnknownEvents[];
  /** The tables that were made anew because their definition, or what they are filled from, had changed. */
  readonly remade: readonly string[];
}

export interface Way {
  readonly source: Source;
  /** The file of tables, for messages. */
  readonly path: string;
  /** Where events are spooled. */
  readonly folder: string;
  /** Nothing says that icecore wrote the file: it is looked at closely first. */
  readonly isUnrecorded?: boolean;
}

/** A file that is new becomes one of tables. */
export async function begin(connection: DuckDBConnection, source: Source): Promise<void> {
  if (await isEmptyFile(connection)) await layOut(connection, source.id);
}

/** Throws BrokenTables. */
export async function catchUp(
  connection: DuckDBConnection,
  { source, path, folder, isUnrecorded }: Way,
  { signal, limits, progress, catalogue = tableCatalogue() }: FillOptions = {},
): Promise<CaughtUp> {
  if (isUnrecorded === true && !(await isAsLaidOut(connection, catalogue)))
    throw new BrokenTables(path, 'they are not laid out as this icecore does it');
  if (!(await isOf(connection, source.id)))
    throw new BrokenTables(path, 'they are of another ledger or another icecore');
  const feed = source.id;
  const from = await positionOf(connection, feed);
  if (from !== null && !(await isOfHistory(source, from)))
    throw new BrokenTables(path, 'they know events that the ledger does not have');
  const remade = await remake(connection, source, folder, from, { signal, limits, catalogue });
  let position = from;
  await inBatches(
    source,
    folder,
    { after: from?.cursor ?? null },
    async (batch) => {
      position = await fillBatch(connection, catalogue, batch, source, position);
      progress?.(position.events);
    },
    catalogue,
    { signal, limits },
  );
  const events = position?.events ?? 0;
  const unread = await unreadIn(connection);
  const unknown = await unknownIn(connection, catalogue);
  const added = events - (from?.events ?? 0);
  return { added, events, cursor: position?.cursor ?? null, position, unread, unknown, remade };
}

/**
 * In as many transactions as there are batches: one alone would hold more than memory has room for. Until the last one, the
 * tables are of no definition, so that nobody is answered from half of one, and whoever comes after a kill begins anew.
 */
async function remake(
  connection: DuckDBConnection,
  source: Source,
  folder: string,
  position: Position | null,
  { catalogue, signal, ...options }: Pick<FillOptions, 'signal' | 'limits'> & { readonly catalogue: TableCatalogue },
): Promise<readonly string[]> {
  if (await isUpToDefinition(connection, catalogue)) return [];
  const changed = await outdated(connection, catalogue);
  await inTransaction(connection, async () => {
    await dropOutdated(connection, catalogue);
    for (const definition of changed) await makeStored(connection, definition);
  });
  if (changed.some(({ fills }) => fills.length > 0) && position !== null) {
    const span = { after: null, until: position.cursor, ...typesOf(changed) };
    const take = (batch: Batch): Promise<void> => refill(connection, { ...catalogue, definitions: changed }, batch);
    await inBatches(source, folder, span, take, catalogue, { signal, ...options });
  }
  if (changed.some(({ modelled }) => modelled.length > 0)) {
    mkdirSync(folder, { mode: 0o700 });
    try {
      const filling = new Filling(connection, { ...catalogue, definitions: changed }, source, join(folder, 'rows'));
      await fillAllRows(filling, signal);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  await inTransaction(connection, async () => {
    await markFilled(connection, changed, catalogue);
    await makeViews(connection, catalogue.definitions);
  });
  return position === null ? [] : changed.map(({ name }) => name);
}

async function refill(
  connection: DuckDBConnection,
  changed: Pick<TableCatalogue, 'definitions' | 'types'>,
  { files }: Batch,
): Promise<void> {
  await inTransaction(connection, async () => {
    await fillTables(connection, changed, files);
    await addUp(connection, changed.definitions);
  });
}

/** Which events definitions are filled from; every one where some take all but a few, since those may be unknown today. */
function typesOf(definitions: readonly TableDefinition[]): { readonly types?: readonly string[] } {
  const fills = definitions.flatMap((definition) => definition.fills);
  if (fills.some(({ from }) => from.but)) return {};
  return { types: [...new Set(fills.flatMap(({ from }) => from.types))] };
}

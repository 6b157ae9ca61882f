// Updates one open file of tables: fills in the missing events of the ledger, and refills tables whose definition has
// changed.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Cursor } from '../../ledger/event.ts';
import type { UnknownEvents } from '../../ledger/unknown-events.ts';
import { Filling, fillAllRows } from '../model/filling.ts';
import { type TableCatalogue, tableCatalogue } from '../tables/catalogue.ts';
import type { TableDefinition } from '../tables/definition.ts';
import { BrokenTables } from '../warehouse/errors.ts';
import type { Knowledge } from '../warehouse/provenance.ts';
import { addUp, fillBatch, fillTables } from './filling.ts';
import { isAsLaidOut } from './inventory.ts';
import {
  catalogueDigest,
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
import type { Batch } from './staging.ts';

export interface FillOptions {
  readonly signal?: AbortSignal | undefined;
  /** The size of a batch, which becomes visible at once. */
  readonly limits?: BatchLimits | undefined;
  /** Called after each batch with the number of events in the tables. */
  readonly progress?: ((events: number) => void) | undefined;
  /** The tables to fill and their types; icecore's own by default. */
  readonly catalogue?: TableCatalogue | undefined;
}

export interface CaughtUp {
  /** The number of events filled in. */
  readonly added: number;
  /** The number of the ledger's events in the tables. */
  readonly events: number;
  /** Of the last of them; null if there is none. */
  readonly cursor: Cursor | null;
  readonly position: Position | null;
  /** The number of events that cannot be read and are in no table. */
  readonly unread: number;
  /** Those of unknown types or versions, which are only in table `events`. */
  readonly unknown: readonly UnknownEvents[];
  /** The tables that were refilled because their definition or their source had changed. */
  readonly remade: readonly string[];
}

export interface Way {
  readonly source: Source;
  /** The file of tables, for messages. */
  readonly path: string;
  /** Where events are staged. */
  readonly folder: string;
  /** There is no record that icecore wrote the file, so it is checked closely first. */
  readonly isUnrecorded?: boolean;
  /** What icecore recorded of the file, which has not changed since; null: look into the file. */
  readonly known?: Knowledge | null;
}

/** Turns a new file into one of tables. */
export async function begin(connection: DuckDBConnection, source: Source): Promise<void> {
  if (await isEmptyFile(connection)) await layOut(connection, source.id);
}

/** Throws BrokenTables. */
export async function catchUp(
  connection: DuckDBConnection,
  { source, path, folder, isUnrecorded, known = null }: Way,
  { signal, limits, progress, catalogue = tableCatalogue() }: FillOptions = {},
): Promise<CaughtUp> {
  if (isUnrecorded === true && !(await isAsLaidOut(connection, catalogue)))
    throw new BrokenTables(path, 'their layout is not that of this version of icecore');
  // Looking into the file takes longer than adding a few events.
  const isCurrent = known?.definitions === catalogueDigest(catalogue);
  if (!isCurrent && !(await isOf(connection, source.id)))
    throw new BrokenTables(path, 'they are of another ledger or another version of icecore');
  const from = isCurrent ? known : await positionOf(connection, source.id);
  if (from !== null && !(await isOfHistory(source, from)))
    throw new BrokenTables(path, 'they contain events that the ledger does not have');
  const remade = isCurrent ? [] : await remake(connection, source, folder, from, { signal, limits, catalogue });
  let position: Position | null = from;
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
 * One transaction per batch, because a single one would need too much memory. Until the last one, the tables have no
 * valid definition, so that no query uses a partial table, and after a kill the next process starts again.
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
    await makeStored(connection, changed);
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

/**
 * The event types that definitions are filled from; all types if some are filled from all but a few, because those may
 * be unknown today.
 */
function typesOf(definitions: readonly TableDefinition[]): { readonly types?: readonly string[] } {
  const fills = definitions.flatMap((definition) => definition.fills);
  if (fills.some(({ from }) => from.but)) return {};
  return { types: [...new Set(fills.flatMap(({ from }) => from.types))] };
}

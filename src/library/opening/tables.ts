// The SQL tables of the current ledger: where they are, and the progress of filling them.
import { resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type QueryOptions, type Standing, withTables } from '../../projections/current-tables.ts';
import { filledBy } from '../../projections/projector/layout.ts';
import type { TableCatalogue } from '../../projections/tables/catalogue.ts';
import { catalogueIn, catalogueOf, keepOwnTables } from '../../projections/tables/own.ts';
import { makeTablesFolder, tablesBeside, tablesWithin } from '../../projections/warehouse/place.ts';
import type { TablesTrust } from '../../projections/warehouse/provenance.ts';
import { partForSettings } from '../../projections/warehouse/settings-part.ts';
import { OwnServer } from '../own-server.ts';
import { findPlace, findWorkspace, localTo } from '../place/place.ts';
import { type Session, SessionProgress, type Surroundings } from '../session.ts';
import type { TablesFile } from '../sql/process/messages.ts';
import { withLedgerToRead } from './ledger.ts';

/**
 * Passes on the folder of the tables, with the plugins' tables recorded in it, and reports the progress of filling. `isThrough` is
 * called when the work on tables is over.
 */
export async function withTablesProgress<Result>(
  session: Session,
  ledger: Ledger,
  body: (folder: string, options: QueryOptions, isThrough: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const folder = await tablesToFill(session, ledger);
  const { events: of } = await ledger.head();
  const notes = new Set<string>();
  const progress = new SessionProgress(session, 'events in tables');
  try {
    const server = OwnServer.of(session);
    const options = {
      trust: tablesTrust(session),
      signal: session.signal,
      ...(server === null ? {} : { elsewhere: () => server.refresh(session.signal) }),
      progress: (done: number) => void progress.update(done, of),
      onNote: (note: string) => void notes.add(note),
    };
    return await body(folder, options, () => progress.end());
  } finally {
    await progress.end();
    for (const text of notes) await session.notify({ kind: 'note', text });
  }
}

/** Tables that are nearly or fully up to date, as a file that this process does not hold open. */
export async function withTablesFile<Result>(
  session: Session,
  ledger: Ledger,
  signal: AbortSignal,
  body: (tables: TablesFile, standing: Standing) => Promise<Result>,
): Promise<Result> {
  return await withTablesProgress(session, ledger, (folder, options, isThrough) =>
    withTables(ledger, folder, { ...options, signal }, async (path, standing) => {
      await isThrough();
      return await body({ path, filled: filledBy(catalogueIn(folder)) }, standing);
    }),
  );
}

/** A folder that the user named is trusted; elsewhere the user's records confirm files of tables. */
export function tablesTrust({ env }: Pick<Surroundings, 'env'>): TablesTrust {
  return { env, isNamed: Boolean(env['ICECORE_TABLES']) };
}

/** The folder of the tables, with the plugins' tables recorded in it. */
export async function tablesToFill(session: Session, ledger: Pick<Ledger, 'id' | 'url'>): Promise<string> {
  const folder = tablesFolder(session, ledger);
  const declared = await session.plugins.atHand();
  if (declared.tables.length > 0) makeTablesFolder(folder, tablesTrust(session).isNamed);
  await keepOwnTables(folder, declared);
  return folder;
}

/** icecore's tables, those of the loaded plugins, and those that the tables of the ledger were filled for. */
export async function knownTables(session: Session): Promise<TableCatalogue> {
  return catalogueOf(await folderInUse(session), await session.plugins.atHand());
}

/** Null if there is none, or none that may be read. */
async function folderInUse(session: Session): Promise<string | null> {
  try {
    if (!session.env['ICECORE_TABLES']) return partForSettings(localTo(findPlace(session)).tables, session.env);
    return await withLedgerToRead(session, async (opened) => tablesFolder(session, opened));
  } catch (fault) {
    if (fault instanceof IcecoreError) return null;
    throw fault;
  }
}

/** Several ledgers may have their tables in one named folder. */
export function tablesFolder(surroundings: Surroundings, ledger: Pick<Ledger, 'id' | 'url'>): string {
  const named = surroundings.env['ICECORE_TABLES'];
  return named
    ? tablesWithin(resolve(surroundings.cwd, named), ledger)
    : partForSettings(tablesBeside(ledger.url, findWorkspace(surroundings).path), surroundings.env);
}

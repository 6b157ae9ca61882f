// The SQL tables as a whole: refreshes them, copies them, and describes them.
import { UnknownName } from '../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../schemas/nearest.ts';
import type { ListTables, ProjectResult, TablesCopy } from '../../schemas/tables-output.ts';
import { counted } from '../base/quantity.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Projected } from '../projections/projector/projector.ts';
import { Follower } from './following.ts';
import { listOf } from './listing.ts';
import { openToRead, withLedgerToRead } from './opening/ledger.ts';
import { noticeStanding, unknownTo } from './opening/standing.ts';
import { knownTables, tablesToFill, tablesTrust, withTablesProgress } from './opening/tables.ts';
import type { Session } from './session.ts';

/** How to refresh the SQL tables. */
export interface RefreshOptions {
  /** Rebuild them from scratch. */
  readonly rebuild?: boolean;
}

export async function refresh(session: Session, { rebuild = false }: RefreshOptions = {}): Promise<ProjectResult> {
  return await withLedgerToRead(session, async (ledger) => {
    const { project } = await import('../projections/projector/projector.ts');
    const started = performance.now();
    const done = await withTablesProgress(session, ledger, (folder, options) =>
      project(ledger, folder, { ...options, rebuild }),
    );
    const result = await resultOf(session, ledger, done, performance.now() - started);
    await hintAtAudit(session, ledger);
    return result;
  });
}

/** Events that were sent but do not count are in no table, so users of the tables would not notice them. */
async function hintAtAudit(session: Session, ledger: Ledger): Promise<void> {
  let wrong = 0;
  for await (const _ of ledger.audit({ wholly: false })) {
    wrong++;
    session.signal.throwIfAborted();
  }
  if (wrong === 0) return;
  const are = wrong === 1 ? 'is' : 'are';
  const text = `${counted(wrong, 'thing')} in the store of the ledger ${are} wrong, such as events that were sent and do not count: icecore verify lists them`;
  await session.notify({ kind: 'hint', text });
}

/** Refreshes the tables whenever events are recorded, until stopped; yields what each refresh added. */
export async function* keepFresh(
  session: Session,
  { rebuild = false }: RefreshOptions = {},
): AsyncGenerator<ProjectResult, void, undefined> {
  const { follow } = await import('../projections/projector/projector.ts');
  const { signal } = session;
  const follower = new Follower(session);
  const notes = new Set<string>();
  const onNote = (text: string): void => {
    if (!notes.has(text)) void session.notify({ kind: 'note', text });
    notes.add(text);
  };
  const ledger = await openToRead(session, follower.onWait);
  try {
    const options = { signal, trust: tablesTrust(session), onNote };
    let started = performance.now();
    let isFirst = true;
    const folder = await tablesToFill(session, ledger);
    const begin = () => follow(ledger, folder, { ...options, rebuild: rebuild && isFirst });
    for await (const done of follower.following(begin)) {
      // Nothing to report after reconnecting without new events.
      if (!isFirst && done.added === 0) continue;
      isFirst = false;
      yield await resultOf(session, ledger, done, performance.now() - started);
      started = performance.now();
    }
  } catch (fault) {
    if (!signal.aborted) throw fault;
  } finally {
    await ledger.close();
  }
}

async function resultOf(session: Session, ledger: Ledger, done: Projected, ms: number): Promise<ProjectResult> {
  const { path, added, events, built, remade, unread } = done;
  return {
    ledger: ledger.url,
    tables: path,
    events,
    added,
    unread,
    unknown: [...(await unknownTo(session, done.unknown))],
    built,
    remade: [...remade],
    seconds: Math.round(ms) / 1000,
  };
}

/** A read-only copy of the current tables, for other programs that open DuckDB files. The next copy replaces it. */
export async function copyTables(session: Session): Promise<TablesCopy> {
  const { snapshotOf } = await import('../projections/snapshot.ts');
  return await withLedgerToRead(session, async (ledger) => {
    const copied = await withTablesProgress(session, ledger, (folder, options) => snapshotOf(ledger, folder, options));
    const { unknown } = await noticeStanding(session, copied);
    return { ...copied, unknown: [...unknown] };
  });
}

/** Without their columns, which would need DuckDB. */
export async function tableNames(
  session: Session,
): Promise<readonly { readonly name: string; readonly meaning: string }[]> {
  const { definitions } = await knownTables(session);
  // Macros have no columns and are not tables.
  return definitions.filter(({ columns }) => columns.length > 0);
}

/** The meaning of the tables and their columns, or of one table. */
export async function tables(session: Session, name?: string): Promise<ListTables> {
  const { documentedTables } = await import('../projections/documentation.ts');
  // Includes plugins of a settings file whose code was allowed before.
  const { pluginsToList } = await import('./list.ts');
  await pluginsToList(session);
  const all = await documentedTables(await knownTables(session));
  const rows = name === undefined ? all : [tableNamed(name, all)];
  return listOf(rows.map(({ columns, ...table }) => ({ ...table, columns: [...columns] })));
}

function tableNamed<Table extends { readonly name: string }>(name: string, all: readonly Table[]): Table {
  const found = all.find((one) => one.name === name.toLowerCase());
  if (found !== undefined) return found;
  const names = all.map((one) => one.name);
  const near = nearestNames(name, names);
  throw new UnknownName(name, `there is no table "${name}"`, {
    facts: { found: name, nearest: near },
    remedy: didYouMean(near, 'icecore list tables lists them.'),
  });
}

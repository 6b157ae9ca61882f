// `refresh`: brings the SQL tables up to date.
import type { ProjectResult } from '../../schemas/tables-output.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Projected } from '../projections/projector/projector.ts';
import { withLedgerToRead } from './opening/ledger.ts';
import { unknownTo, withTablesProgress } from './opening/tables.ts';
import type { Session } from './session.ts';

export interface RefreshOptions {
  /** Fills them anew, from nothing. */
  readonly rebuild?: boolean;
}

export async function refresh(session: Session, { rebuild = false }: RefreshOptions = {}): Promise<ProjectResult> {
  return await withLedgerToRead(session, async (ledger) => {
    const { project } = await import('../projections/projector/projector.ts');
    const started = performance.now();
    const done = await withTablesProgress(session, ledger, (folder, options) =>
      project(ledger, folder, { ...options, rebuild }),
    );
    return refreshResult(session, ledger, done, performance.now() - started);
  });
}

export function refreshResult(session: Session, ledger: Ledger, done: Projected, ms: number): ProjectResult {
  const { path, added, events, built, remade, unread } = done;
  return {
    ledger: ledger.url,
    tables: path,
    events,
    added,
    unread,
    unknown: [...unknownTo(session, done.unknown)],
    built,
    remade: [...remade],
    seconds: Math.round(ms) / 1000,
  };
}

// How often tables have the events of each stream, updated from a ledger first.
import type { Ledger } from '../../ledger/ledger.ts';
import { rowsOf } from '../projector/layout.ts';
import { project } from '../projector/projector.ts';
import { hold } from '../warehouse/holding.ts';

export interface CountedRows {
  readonly rows: number;
  /** The number of distinct revisions. */
  readonly revisions: number;
}

export async function countInTables(ledger: Ledger, folder: string): Promise<ReadonlyMap<string, CountedRows>> {
  const { path } = await project(ledger, folder);
  const held = await hold(path, { access_mode: 'READ_ONLY' });
  try {
    const rows = await rowsOf(
      await held.connect(),
      'SELECT stream, count(*) AS rows, count(DISTINCT revision) AS revisions FROM events GROUP BY stream',
    );
    return new Map(
      rows.map(({ stream, rows, revisions }) => [String(stream), { rows: Number(rows), revisions: Number(revisions) }]),
    );
  } finally {
    held.release();
  }
}

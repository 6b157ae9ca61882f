// The state of the ledger that an export of events is made from: what is recorded while it is written is not in it.
import type { ExportManifest } from '../../../../schemas/export-manifest.ts';
import type { Ledger } from '../../../ledger/ledger.ts';

export type ExportHead = ExportManifest['head'];

/** So many may have been recorded since the head was asked for. */
const since = 1000;

export async function headOf(ledger: Ledger): Promise<ExportHead> {
  const { cursor, events } = await ledger.head();
  for await (const newest of ledger.readAll({ backwards: true, limit: since })) {
    const last = newest.find((event) => event.cursor === cursor);
    if (last !== undefined) return { events, cursor, digest: last.digest };
  }
  return { events, cursor, digest: null };
}

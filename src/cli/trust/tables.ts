// What `icecore verify` says of the tables: whether something else changed them, and with --tables whether they are what the
// ledger fills them with.
import { IcecoreError } from '../../../schemas/errors.ts';
import { counted } from '../../base/quantity.ts';
import { Findings, type FindingsState } from '../../ledger/verify/findings.ts';
import type { TablesFault } from '../../projections/verification.ts';
import type { Context } from '../context.ts';
import { withLedgerToRead } from '../ledger.ts';
import { Progress } from '../output/progress.ts';
import { tablesFolder, tablesTrust } from '../tables/folder.ts';

/** As many are shown; the rest is counted. */
const keptFindings = 1000;

/** What was found in the ledger, and what is found of its tables. */
export async function withTables(context: Context, found: FindingsState, isCompared: boolean): Promise<FindingsState> {
  const findings = new Findings(keptFindings);
  findings.join(found);
  for (const { kind, where, says } of await faultsUnlessUnreadable(context, isCompared, found)) {
    // Who asks whether the tables are right wants to know it by the exit code; otherwise they are made anew by themselves.
    const as = isCompared || kind === 'differ' ? 'tables-differ' : (`tables-${kind}` as const);
    findings.add({ kind: as, where, event: null, says });
  }
  return findings.toJSON();
}

/** Of a ledger that cannot be read as a whole, it is known by now what is wrong with it. */
async function faultsUnlessUnreadable(
  context: Context,
  isCompared: boolean,
  found: FindingsState,
): Promise<readonly TablesFault[]> {
  try {
    return await tablesFaults(context, isCompared);
  } catch (error) {
    if (!(error instanceof IcecoreError) || error.kind !== 'damaged' || found.faults === 0) throw error;
    await context.say('the tables were not compared with the ledger, which cannot be read as a whole');
    return [];
  }
}

async function tablesFaults(context: Context, isCompared: boolean): Promise<readonly TablesFault[]> {
  const { lookAtTables, verifyTables } = await import('../../projections/verification.ts');
  const { io, signal } = context;
  const trust = tablesTrust(io);
  return await withLedgerToRead(context, async (ledger) => {
    const folder = tablesFolder(io, ledger);
    if (!isCompared) return (await lookAtTables(ledger, folder, { trust, signal }))?.faults ?? [];
    const { events: of } = await ledger.head();
    const progress = new Progress(context, 'events in tables');
    try {
      const onProgress = (done: number): void => void progress.update({ done, of });
      const verified = await verifyTables(ledger, folder, { trust, signal, onProgress });
      await progress.end();
      if (verified === null) await context.hint('there are no tables to compare: icecore sql makes them');
      else if (verified.compared > 0)
        await context.say(`compared ${counted(verified.compared, 'table')} in ${verified.path}`);
      return verified?.faults ?? [];
    } finally {
      await progress.end();
    }
  });
}

// What `icecore doctor` says of DuckDB and the tables. Loaded by itself: DuckDB's binding may be what is missing.
import type { Check } from '../../schemas/output.ts';
import { LedgerMissing } from '../ledger/errors.ts';
import type { Context } from './context.ts';
import { counted } from './output/quantity.ts';
import { tablesFolder } from './tables/folder.ts';

const reinstall = 'Run npm ci again on this machine: DuckDB comes as a package for each platform.';

export async function tablesChecks({ io }: Pick<Context, 'io'>, ledgerUrl: string): Promise<readonly Check[]> {
  try {
    const { version } = await import('@duckdb/node-api');
    return [{ name: 'duckdb', status: 'ok', found: version(), remedy: '' }, ...(await ofTables(io, ledgerUrl))];
  } catch (fault) {
    const found = fault instanceof Error ? (fault.message.split('\n', 1)[0] ?? '') : String(fault);
    return [{ name: 'duckdb', status: 'failed', found: `not there: ${found}`, remedy: reinstall }];
  }
}

async function ofTables(io: Context['io'], ledgerUrl: string): Promise<readonly Check[]> {
  const { findTables } = await import('../projections/health.ts');
  try {
    const { path, behind } = await findTables(ledgerUrl, (ledger) => tablesFolder(io, ledger));
    if (path === null) return [{ name: 'tables', status: 'ok', found: 'none yet; icecore sql makes them', remedy: '' }];
    const standing =
      behind === null
        ? 'to be made anew by the next question'
        : behind === 0
          ? 'up to date'
          : `${counted(behind, 'event')} behind`;
    return [{ name: 'tables', status: 'ok', found: `${path}, ${standing}`, remedy: '' }];
  } catch (fault) {
    if (fault instanceof LedgerMissing) return [];
    const found = fault instanceof Error ? fault.message : String(fault);
    return [{ name: 'tables', status: 'warning', found, remedy: 'icecore project --rebuild makes them anew.' }];
  }
}

// What `icecore doctor` says of DuckDB and the tables. Loaded by itself: DuckDB's binding may be what is missing.
import { IcecoreError } from '../../schemas/errors.ts';
import type { Check } from '../../schemas/output.ts';
import { counted } from '../base/quantity.ts';
import { LedgerMissing } from '../ledger/errors.ts';
import type { Health } from '../projections/health.ts';
import type { Context } from './context.ts';
import { tablesFolder, tablesTrust } from './tables/folder.ts';

const rebuild = 'icecore tables refresh --rebuild makes them anew.';

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
    const tables = await findTables(ledgerUrl, (ledger) => tablesFolder(io, ledger), tablesTrust(io));
    if (tables === null)
      return [{ name: 'tables', status: 'ok', found: 'none yet; icecore sql makes them', remedy: '' }];
    const { path, health } = tables;
    const isWarning = health.is === 'refused' || health.is === 'of another history';
    const found = `${path}, ${standing(health)}`;
    return [{ name: 'tables', status: isWarning ? 'warning' : 'ok', found, remedy: isWarning ? rebuild : '' }];
  } catch (fault) {
    if (fault instanceof LedgerMissing) return [];
    const found = fault instanceof Error ? fault.message : String(fault);
    const remedy = fault instanceof IcecoreError ? fault.remedy : '';
    return [{ name: 'tables', status: 'warning', found, remedy: remedy || rebuild }];
  }
}

function standing(health: Health): string {
  switch (health.is) {
    case 'behind':
      return health.by === 0 ? 'up to date' : `${counted(health.by, 'event')} behind`;
    case 'in use':
      return 'in use by another process just now';
    case 'of other definitions':
      return "brought to today's definitions by the next question";
    case 'interrupted':
      return 'left by a process that was stopped while it wrote; the next question goes on with them';
    case 'refused':
      return `not used: ${health.why}; the next question makes them anew`;
    case 'of another history':
      return 'not used: the ledger was rewritten since they were made; the next question makes them anew';
    case 'unusable':
      return 'to be made anew by the next question';
  }
}

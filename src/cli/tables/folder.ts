// Where the tables of the ledger at hand are: beside it, or where ICECORE_TABLES says.
import { resolve } from 'node:path';
import type { Ledger } from '../../ledger/ledger.ts';
import { tablesBeside, tablesWithin } from '../../projections/warehouse/place.ts';
import type { TablesTrust } from '../../projections/warehouse/provenance.ts';
import { findHome } from '../home.ts';
import type { Io } from '../io.ts';

/** A folder that the user named is the user's own word; elsewhere the user's records vouch for files of tables. */
export function tablesTrust({ env }: Pick<Io, 'env'>): TablesTrust {
  return { env, isNamed: Boolean(env['ICECORE_TABLES']) };
}

/** Several ledgers may have their tables in one folder that was named. */
export function tablesFolder(io: Pick<Io, 'env' | 'cwd'>, ledger: Pick<Ledger, 'id' | 'url'>): string {
  const named = io.env['ICECORE_TABLES'];
  return named ? tablesWithin(resolve(io.cwd, named), ledger) : tablesBeside(ledger.url, findHome(io).path);
}

// A ledger with something in it, and the folder of its tables; gone when the test is over.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { writeVaried } from './varied.ts';

export interface ProjectedPlace {
  readonly folder: string;
  readonly ledger: Ledger;
  /** Of tables. */
  readonly tables: string;
}

export async function variedPlace(): Promise<ProjectedPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-projected-'));
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
  onTestFinished(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await writeVaried(ledger);
  return { folder, ledger, tables: join(folder, 'ledger.tables') };
}

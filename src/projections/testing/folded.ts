// Properties of every history: the tables equal a fold of its events, and do not depend on how they arrived.
import { deepStrictEqual } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { tableDigests } from '../digests.ts';
import { project } from '../projector/projector.ts';
import { comparable, filledByFeeds } from './feeds.ts';
import { disagreements, readLog } from './fold.ts';
import { Draw } from './random/words.ts';
import { randomHistory, type World, writeWorld } from './random-history.ts';

/** Throws with the history, shrunk for a limited time, and its seed. */
export async function tablesAreFolds(histories: number): Promise<void> {
  const property = fc.asyncProperty(randomHistory(), async (world) => {
    await inLedger(world, async (ledger, folder) => {
      const { path } = await project(ledger, join(folder, 'ledger.tables'));
      deepStrictEqual(await disagreements(await readLog(ledger), path), []);
    });
  });
  await fc.assert(property, { numRuns: histories, ...patience });
}

/** The same for the digests of all tables and views. */
export async function tablesAreIndependentOfFeeds(histories: number): Promise<void> {
  const property = fc.asyncProperty(randomHistory(4), fc.noBias(fc.gen()), async (world, value) => {
    await inLedger(world, async (ledger, folder) => {
      const { path } = await project(ledger, join(folder, 'ledger.tables'));
      const filled = await filledByFeeds(ledger, join(folder, 'feeds.duckdb'), new Draw(value));
      deepStrictEqual(filled, comparable(await tableDigests(path)));
    });
  });
  await fc.assert(property, { numRuns: histories, ...patience });
}

/** How long a failure is shrunk. */
const patience = { interruptAfterTimeLimit: 120_000, markInterruptAsFailure: true };

/** A temporary ledger with a history, and a folder for its tables. */
export async function inLedger(world: World, body: (ledger: Ledger, folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-folded-'));
  try {
    const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
    try {
      await writeWorld(ledger, world);
      await body(ledger, folder);
    } finally {
      await ledger.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

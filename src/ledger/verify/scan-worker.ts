// A thread that looks at pieces of the ledger, one after the other, as they are handed to it.
import { parentPort, workerData } from 'node:worker_threads';
import { openBlobsIfThere } from '../blobs/if-there.ts';
import { openLedger } from '../open.ts';
import type { Job } from './jobs.ts';
import { Scan } from './scan.ts';
import type { Vouchers } from './vouchers.ts';

export interface ScanSetup {
  readonly ledger: string;
  /** Null where there is no blob store. */
  readonly blobs: string | null;
  readonly vouchers: Vouchers;
}

const { ledger, blobs, vouchers } = workerData as ScanSetup;
const scan = new Scan(
  await openLedger(ledger, { readOnly: true }),
  blobs === null ? null : await openBlobsIfThere(blobs),
  vouchers,
);

parentPort?.on('message', async (job: Job) => parentPort?.postMessage(await scan.look(job)));

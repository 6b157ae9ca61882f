// A thread that examines pieces of the ledger as they are assigned to it.
import { parentPort, workerData } from 'node:worker_threads';
import { IcecoreError } from '../../../schemas/errors.ts';
import { openBlobsIfThere } from '../blobs/open.ts';
import { openLedger } from '../open.ts';
import { type Job, type Outcome, Scan } from './scan.ts';
import type { SealIndex } from './seals.ts';

export interface ScanSetup {
  readonly ledger: string;
  /** Null: there is no blob store. */
  readonly blobs: string | null;
  readonly sealIndex: SealIndex;
  /** Event types of plugins. */
  readonly own: readonly string[];
}

/** Errors cannot be passed between threads, only their facts. */
export type Answer =
  | { readonly outcome: Outcome }
  | { readonly refusal: Pick<IcecoreError, 'kind' | 'message' | 'facts' | 'remedy'> };

const { ledger, blobs, sealIndex, own } = workerData as ScanSetup;
const scan = openScan();
// An error of opening surfaces at the first job.
scan.catch(() => undefined);

async function openScan(): Promise<Scan> {
  const opened = await openLedger(ledger, { readOnly: true });
  return new Scan(opened, blobs === null ? null : await openBlobsIfThere(blobs), sealIndex, own);
}

async function answerTo(job: Job): Promise<Answer> {
  try {
    return { outcome: await (await scan).look(job) };
  } catch (error) {
    if (!(error instanceof IcecoreError)) throw error;
    const { kind, message, facts, remedy } = error;
    return { refusal: { kind, message, facts, remedy } };
  }
}

parentPort?.on('message', async (job: Job) => parentPort?.postMessage(await answerTo(job)));

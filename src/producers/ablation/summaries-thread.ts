// A worker thread that summarises the evidence of stages, one at a time.
import { parentPort, workerData } from 'node:worker_threads';
import { IcecoreError } from '../../../schemas/errors.ts';
import { openLedger } from '../../ledger/open.ts';
import { sumEvidence } from '../summaries/evidence-sums.ts';
import type { StageSums, SumsOutcome } from './summaries.ts';

const ledger = await openLedger(workerData as string, { readOnly: true });

async function outcomeOf({ modules, ...evidence }: StageSums): Promise<SumsOutcome> {
  try {
    return { added: await sumEvidence(modules, { ledger, ...evidence }) };
  } catch (fault) {
    if (!(fault instanceof IcecoreError)) throw fault;
    // Errors lose their class on the way to another thread, so the fields are sent.
    const { name, kind, message, facts, remedy } = fault;
    return { fault: { name, kind, message, facts, remedy } };
  }
}

parentPort?.on('message', async (job: StageSums) => parentPort?.postMessage(await outcomeOf(job)));

// A thread that adds up the evidence of stages, one after the other, as they are handed to it.
import { parentPort, workerData } from 'node:worker_threads';
import { IcecoreError } from '../../../schemas/errors.ts';
import { openLedger } from '../../ledger/open.ts';
import { addedUp } from '../summaries/added-up.ts';
import type { StageSums, SumsOutcome } from './summed.ts';

const ledger = await openLedger(workerData as string, { readOnly: true });

async function outcomeOf({ modules, ...evidence }: StageSums): Promise<SumsOutcome> {
  try {
    return { added: await addedUp(modules, { ledger, ...evidence }) };
  } catch (fault) {
    if (!(fault instanceof IcecoreError)) throw fault;
    // A class does not come through to another thread; what it says does.
    const { name, kind, message, facts, remedy } = fault;
    return { fault: { name, kind, message, facts, remedy } };
  }
}

parentPort?.on('message', async (job: StageSums) => parentPort?.postMessage(await outcomeOf(job)));

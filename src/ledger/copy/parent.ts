// A run that is a fork shares the history of its parent by reference: the copy of the one does not bring the other.
import { streamOf } from '../../../schemas/streams.ts';
import type { Ledger } from '../ledger.ts';

export interface Parent {
  readonly run: string;
  /** The last stage whose history is shared. */
  readonly stage: number;
  /** Does the copy have the parent's decisions up to there? */
  readonly isThere: boolean;
}

interface Reference {
  readonly run: string;
  readonly stage: number;
  readonly revision: number;
  readonly digest: string;
}

/** Null where the run is no fork. */
export async function parentOf(run: string, from: Ledger, to: Ledger): Promise<Parent | null> {
  const parent = await referenceIn(from, run);
  if (parent === null) return null;
  const { revision } = parent;
  let isThere = false;
  for await (const digest of to.digests({ stream: streamOf.run(parent.run), from: revision, to: revision })) {
    isThere = digest === parent.digest;
  }
  return { run: parent.run, stage: parent.stage, isThere };
}

async function referenceIn(ledger: Ledger, run: string): Promise<Reference | null> {
  for await (const [started] of ledger.readAll({ streams: [streamOf.run(run)], types: ['RunStarted'], limit: 1 })) {
    if (started === undefined) break;
    const { reading } = started;
    return reading.known && reading.type === 'RunStarted' ? (reading.data.parent ?? null) : null;
  }
  return null;
}

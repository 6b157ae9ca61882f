// The evidence of several stages added up by several threads, each stage by one of them. Where there is little of it, or one
// processor, this thread does it by itself: what comes of it is the same.
import { availableParallelism } from 'node:os';
import { IcecoreError } from '../../../schemas/errors.ts';
import { sibling } from '../../base/sibling.ts';
import { Threads } from '../../base/threads.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type AddedUp, type AddingUp, addedUp, EvidenceMissing } from '../summaries/added-up.ts';
import type { EvidenceModuleName } from '../summaries/modules.ts';

/** Of one stage. */
export interface StageSums extends Pick<AddingUp, 'sealed' | 'descriptor' | 'exemplars'> {
  readonly modules: readonly EvidenceModuleName[];
}

export type SumsOutcome =
  | { readonly added: readonly AddedUp[] }
  | { readonly fault: Pick<IcecoreError, 'name' | 'kind' | 'message' | 'facts' | 'remedy'> };

export interface Pooling {
  readonly ledger: Ledger;
  /** At most so many; where nothing is said, as many as there are processors and as are worth it. */
  readonly threads?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A thread takes as long to begin as so many events take to be added up. */
const eventsWorthAThread = 20_000;
/** What is read lives for one page of events; without a bound, garbage would lie as long as the machine has room for it. */
const room = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 };

/** In the order of the stages. */
export async function sumsOf(stages: readonly StageSums[], of: Pooling): Promise<(readonly AddedUp[])[]> {
  const { ledger, threads = threadsFor(stages), signal } = of;
  const count = Math.min(threads, stages.length);
  if (count > 1) return await byThreads(stages, count, of);
  const sums: AddedUp[][] = [];
  for (const { modules, ...evidence } of stages) sums.push(await addedUp(modules, { ledger, ...evidence, signal }));
  return sums;
}

function threadsFor(stages: readonly StageSums[]): number {
  const events = stages.flatMap(({ sealed }) => sealed.attempts).reduce((sum, { count }) => sum + count, 0);
  return Math.min(availableParallelism(), Math.floor(events / eventsWorthAThread));
}

async function byThreads(
  stages: readonly StageSums[],
  count: number,
  { ledger, signal }: Pooling,
): Promise<(readonly AddedUp[])[]> {
  signal?.throwIfAborted();
  const threads = new Threads<StageSums, SumsOutcome>(
    sibling('summed-thread', import.meta.url),
    ledger.url,
    count,
    room,
  );
  const stop = (): void => void threads.close(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.all(stages.map(async (stage) => addedIn(await threads.do(stage))));
  } finally {
    signal?.removeEventListener('abort', stop);
    await threads.close(new Error('everything is added up'));
  }
}

function addedIn(outcome: SumsOutcome): readonly AddedUp[] {
  if ('added' in outcome) return outcome.added;
  const { name, kind, message, facts, remedy } = outcome.fault;
  const { stream, revision, sealed } = facts;
  if (name === 'EvidenceMissing') throw new EvidenceMissing(String(stream), Number(revision), Number(sealed));
  throw new IcecoreError(kind, message, { facts, remedy });
}

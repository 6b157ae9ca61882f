// A worker of a run: another process, or another machine, that does shards of its rollouts. It decides nothing: what there
// is to do stands in the run's stream, who does what in its work stream, and what it does counts once the conductor seals it.
import type { RunSettings } from '../../../../schemas/run-file.ts';
import { streamOf } from '../../../../schemas/streams.ts';
import type { Blobs } from '../../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { AttemptLimits } from '../../evidence/reports.ts';
import type { RunProgress } from '../at.ts';
import type { RunHistory } from '../history.ts';
import { forgetHolder, newHolder } from '../holder.ts';
import type { Lab } from '../lab.ts';
import { probePool } from '../pools.ts';
import { continued } from '../reading.ts';
import { withPolicy } from '../steps/with-policy.ts';
import { Bell } from './bell.ts';
import { Board } from './board.ts';
import { countIn } from './portion.ts';
import { Bid } from './shard-claim.ts';
import { share } from './share.ts';

/** What a worker tells: what it does, and that there is nothing to do yet. */
export type WorkProgress = RunProgress | { readonly kind: 'idle'; readonly history: RunHistory };

export interface Working {
  readonly ledger: Ledger;
  readonly blobs: () => Promise<Blobs>;
  readonly history: RunHistory;
  readonly settings: RunSettings;
  readonly lab: Pick<Lab, 'environment' | 'learner'>;
  /** Where checkpoints are kept meanwhile. */
  readonly folder: string;
  readonly leaseSeconds: number;
  /** How much one attempt holds where attempts are reported. */
  readonly limits?: AttemptLimits;
  readonly signal: AbortSignal;
  readonly tell: (progress: WorkProgress) => Promise<void>;
}

/** Comes back when the run is completed. Aborting throws the signal's reason. */
export async function work({ history: before, ...working }: Working): Promise<void> {
  const { ledger, signal, tell } = working;
  const { run } = before;
  const holder = newHolder();
  const board = new Board(ledger, run);
  const bid = new Bid();
  const ready = madeReady(working);
  const bell = await Bell.on(ledger, [streamOf.run(run), streamOf.work(run)], signal);
  try {
    for (let history = before; ; ) {
      signal.throwIfAborted();
      history = await continued(ledger, history);
      await board.read();
      if (history.completed !== null) return;
      const open = openStage(history, board);
      if (open === null) {
        await ready();
        await tell({ kind: 'idle', history });
        await bell.heard(null);
        continue;
      }
      const { stage, shards } = open;
      const sharing = { ...working, run, history, board, bell, holder, bid, check: async () => {} };
      await withPolicy(sharing, stage, async (policy) => await share(sharing, stage, shards, policy));
    }
  } finally {
    forgetHolder(holder);
    bell.close();
  }
}

/** The pool is the same at every stage: it is made while there is nothing else to do, and kept. */
function madeReady({ lab, settings, signal }: Omit<Working, 'history'>): () => Promise<unknown> {
  let made: Promise<number> | null = null;
  return () => {
    made ??= countIn(probePool(lab.environment, 'probe', settings, signal));
    return made;
  };
}

/** The stage whose policy is trained and whose shards are not all done; null where there is none now. */
function openStage({ stages }: RunHistory, board: Board): { stage: number; shards: number } | null {
  const last = stages.at(-1);
  if (last === undefined || last.training === null || last.sealed !== null) return null;
  const { stage, started } = last;
  const { shards = 1 } = started.data;
  return shards > 1 && board.completedIn(stage, shards).length < shards ? { stage, shards } : null;
}

// Finds a run and one of its complete stages by the name a caller gives.
import type { Ledger } from '../../ledger/ledger.ts';
import { findRun } from '../../ledger/runs.ts';
import { stageOver } from '../../producers/by-hand/asking.ts';
import { readHistory } from '../../producers/history/reading.ts';
import type { RunHistory, StageHistory } from '../../producers/history/run-history.ts';
import { type RunReference, referenceTo } from '../reference.ts';

export interface CompletedStage {
  readonly run: string;
  readonly name: string;
  readonly history: RunHistory;
  readonly stage: StageHistory;
}

/** Defaults to the last complete stage of the latest run. */
export async function completedStage(ledger: Ledger, named: string | RunReference = 'latest'): Promise<CompletedStage> {
  const reference = referenceTo(named);
  const { run, name } = await findRun(ledger, reference.run);
  const history = await readHistory(ledger, run);
  return { run, name, history, stage: stageOver(history, reference.stage) };
}

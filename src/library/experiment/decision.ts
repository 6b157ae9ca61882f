// A run with one of its decisions, as a caller names them.
import type { Ledger } from '../../ledger/ledger.ts';
import { findRun } from '../../ledger/runs.ts';
import { stageOver } from '../../producers/by-hand/asking.ts';
import { readHistory } from '../../producers/history/reading.ts';
import type { RunHistory, StageHistory } from '../../producers/history/run-history.ts';
import { decisionNamed, type RunReference, referenceTo } from '../reference.ts';

export interface NamedDecision {
  readonly run: string;
  readonly name: string;
  readonly history: RunHistory;
  /** The stage that is configured. */
  readonly decides: number;
  /** The stage before it, the last one with evidence for the decision. */
  readonly stage: StageHistory;
}

/** The next decision of the last run, unless another is named. */
export async function namedDecision(ledger: Ledger, named: string | RunReference = 'latest'): Promise<NamedDecision> {
  const reference = referenceTo(named);
  const { run, name } = await findRun(ledger, reference.run);
  const history = await readHistory(ledger, run);
  const decides = decisionNamed(history, reference.stage);
  return { run, name, history, decides, stage: stageOver(history, decides - 1) };
}

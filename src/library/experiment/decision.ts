// Finds a run and one of its decisions from a reference.
import type { Ledger } from '../../ledger/ledger.ts';
import { stageOver } from '../../producers/by-hand/asking.ts';
import { readHistory } from '../../producers/history/reading.ts';
import type { RunHistory, StageHistory } from '../../producers/history/run-history.ts';
import { decisionNamed, type RunReference, referenceTo } from '../reference.ts';
import { runNamed } from '../run-named.ts';
import type { Session } from '../session.ts';

export interface NamedDecision {
  readonly run: string;
  readonly name: string;
  readonly history: RunHistory;
  /** The stage that the decision configures. */
  readonly decides: number;
  /** The stage before it, the last one with evidence for the decision. */
  readonly stage: StageHistory;
}

/** Defaults to the next decision of the latest run. */
export async function namedDecision(
  session: Session,
  ledger: Ledger,
  named: string | RunReference = 'latest',
): Promise<NamedDecision> {
  const reference = referenceTo(named);
  const { run, name } = await runNamed(session, ledger, reference.run);
  const history = await readHistory(ledger, run);
  const decides = decisionNamed(history, reference.stage);
  return { run, name, history, decides, stage: stageOver(history, decides - 1) };
}

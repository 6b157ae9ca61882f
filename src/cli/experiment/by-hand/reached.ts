// A run and the stage of it that somebody named on the command line, as it is recorded.
import type { RunSettings } from '../../../../schemas/run-file.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { findRun } from '../../../ledger/runs.ts';
import type { RunReference } from '../../../library/reference.ts';
import { stageOver } from '../../../producers/by-hand/asking.ts';
import { readHistory } from '../../../producers/history/reading.ts';
import type { RunHistory, StageHistory } from '../../../producers/history/run-history.ts';
import { settingsOf } from '../run.ts';

export interface Reached {
  readonly run: string;
  readonly name: string;
  readonly history: RunHistory;
  /** One that is over. */
  readonly stage: StageHistory;
}

/** The last run, and the last of its stages that is over, where none is named. */
export async function reached(
  ledger: Ledger,
  reference: RunReference = { run: 'latest', stage: null },
): Promise<Reached> {
  const { run, name } = await findRun(ledger, reference.run);
  const history = await readHistory(ledger, run);
  return { run, name, history, stage: stageOver(history, reference.stage) };
}

/** Of a run that icecore made. */
export function settingsReached({ history }: Reached): RunSettings {
  return settingsOf(history);
}

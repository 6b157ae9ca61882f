// A history with nothing in its stages but what a test puts there.
import type { EventData } from '../../../../schemas/catalogue.ts';
import { newStage, type RunHistory } from '../../run/history.ts';
import { recorded } from './staged.ts';

const at = { run: 'a-run', at: '2030-01-01T00:00:00Z' };

/** One stage a list of summaries. */
export function stagedHistory(stages: readonly (readonly EventData['SummaryRecorded'][])[]): RunHistory {
  return {
    run: at.run,
    started: null,
    initial: null,
    stages: stages.map((summaries, i) => ({
      ...newStage(i + 1, recorded(at, 'StageStarted', i + 1, 0, {})),
      summaries: summaries.map((data, index) => recorded(at, 'SummaryRecorded', i + 1, index, data)),
    })),
    completed: null,
    failed: null,
    shares: [],
    revision: 9,
  };
}

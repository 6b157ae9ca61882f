// A history whose stages contain only what a test adds.
import type { EventData } from '../../../../schemas/catalogue.ts';
import { emptyHistory, newStage, type RunHistory } from '../../history/run-history.ts';
import { recorded } from './staged.ts';

const at = { run: 'a-run', at: '2030-01-01T00:00:00Z' };

/** One stage per list of summaries. */
export function stagedHistory(stages: readonly (readonly EventData['SummaryRecorded'][])[]): RunHistory {
  return {
    ...emptyHistory(at.run),
    stages: stages.map((summaries, i) => ({
      ...newStage(i + 1, recorded(at, 'StageStarted', i + 1, 0, {})),
      summaries: summaries.map((data, index) => recorded(at, 'SummaryRecorded', i + 1, index, data)),
    })),
    revision: 9,
  };
}

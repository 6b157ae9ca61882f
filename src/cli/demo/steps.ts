// The steps of the demo: a run that is small enough to be waited for, and what is looked at afterwards.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openLedger } from '../../ledger/open.ts';
import { namesTaken } from '../experiment/naming.ts';
import { workspaceName } from '../workspace.ts';

export interface Step {
  readonly argv: readonly string[];
  readonly shows: string;
  /** It takes a while, and tells of it on standard error as it goes; what it prints in the end, the next step prints. */
  readonly isLive?: true;
}

export const runName = 'first-run';

/** Half a minute on two cores. */
export const usualRun: readonly string[] = ['--stages', '3', '--budget', '400_000', '--engineer', 'checkpoint'];

/** The ledger is named, so that no settings or variables of the surroundings lead the tour into another. */
const ledger = `${workspaceName}/ledger.db`;

/** For each size of lake, stage after stage, what came of it. */
const question = [
  'SELECT family AS size, list(round(100 * share)::INT ORDER BY stage) AS share, list(round(100 * valid)::INT ORDER BY stage) AS valid',
  'FROM curriculum WHERE family IS NOT NULL GROUP BY family, position ORDER BY position',
].join(' ');

/** What was run in the folder before is not run again. */
export async function stepsIn(folder: string, asked: readonly string[]): Promise<readonly Step[]> {
  return [
    {
      argv: ['init', '--ledger', `sqlite:${ledger}`],
      shows: 'A ledger is one SQLite file, with its log (-wal, -shm) beside it. Events are only ever added to it.',
    },
    (await isBegun(folder)) ? { argv: ['resume', runName], ...goingOn } : firstRun(asked),
    {
      argv: ['show', runName],
      shows: 'The run, stage by stage. Whoever types icecore run sees this at its end.',
    },
    {
      argv: ['diff', `${runName}@2`, `${runName}@3`],
      shows: 'What changed between two stages, why, and what came of it. F1, B8.valid and the like cite evidence.',
    },
    {
      argv: ['why', `${runName}@2`, '--detail', '1'],
      shows:
        'Why it changed: each knob, its reasons, and what its family did next. Deeper, down to the rollouts: --detail 4.',
    },
    {
      argv: ['ablate', `${runName}@2`, '--engineer', 'rules', '--context', 'failures,behaviour'],
      shows:
        'The same decision, taken anew from the history: what rules would have proposed, shown one thing or another.',
    },
    {
      argv: ['sql', question],
      shows:
        'Everything is a table: the share of the training data, and how often the policy succeeded, in percent, by stage.',
    },
  ];
}

const goingOn = {
  shows: 'The run is there already: it goes on where it was, and nothing is done twice.',
  isLive: true,
} as const;

function firstRun(asked: readonly string[]): Step {
  return {
    argv: ['run', ...asked, '--name', runName],
    shows: 'A network learns to lead two agents over frozen lakes; between stages it is asked which lakes to train on.',
    isLive: true,
  };
}

async function isBegun(folder: string): Promise<boolean> {
  const path = join(folder, ledger);
  if (!existsSync(path)) return false;
  const opened = await openLedger(`sqlite:${path}`);
  try {
    return (await namesTaken(opened)).has(runName);
  } finally {
    await opened.close();
  }
}

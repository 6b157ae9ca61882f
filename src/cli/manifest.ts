// Every command by name, for help and dispatch. Static, so that help loads no command and a command loads no other.
import type { CommandFamily, CommandModule } from './command.ts';
import type { CommandName } from './names.ts';

export interface Entry {
  readonly name: CommandName;
  readonly group: string;
  readonly summary: string;
  load(): Promise<{ readonly command: CommandModule | CommandFamily }>;
}

export const groups: readonly string[] = ['start', 'experiment', 'look', 'ablate', 'data', 'trust', 'try', 'shell'];

export const commands: readonly Entry[] = [
  {
    name: 'init',
    group: 'start',
    summary: 'Make a home and a ledger here',
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'run',
    group: 'experiment',
    summary: 'Run a staged experiment, or go on with one',
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'work',
    group: 'experiment',
    summary: 'Do rollouts of a run that others conduct, from any machine',
    load: () => import('./commands/work.ts'),
  },
  {
    name: 'fork',
    group: 'experiment',
    summary: 'Go on from a stage of a run with another engineer or form',
    load: () => import('./commands/fork.ts'),
  },
  {
    name: 'context',
    group: 'experiment',
    summary: 'Print what an engineer is shown after a stage',
    load: () => import('./commands/context.ts'),
  },
  {
    name: 'propose',
    group: 'experiment',
    summary: 'Ask an engineer what it would do, without adopting it',
    load: () => import('./commands/propose.ts'),
  },
  {
    name: 'adopt',
    group: 'experiment',
    summary: 'Record what a person decided on the next stage, and why',
    load: () => import('./commands/adopt.ts'),
  },
  {
    name: 'stage',
    group: 'experiment',
    summary: 'Drive a run stage by stage, around a trainer of your own',
    load: () => import('./commands/stage.ts'),
  },
  {
    name: 'annotate',
    group: 'experiment',
    summary: 'Note something about a run, a stage, a knob or an event',
    load: () => import('./commands/annotate.ts'),
  },
  {
    name: 'runs',
    group: 'look',
    summary: 'List the runs, the newest first',
    load: () => import('./commands/runs.ts'),
  },
  {
    name: 'show',
    group: 'look',
    summary: 'Show a run with its stages, or one stage in full',
    load: () => import('./commands/show.ts'),
  },
  {
    name: 'diff',
    group: 'look',
    summary: 'Show what differs between two stages',
    load: () => import('./commands/diff.ts'),
  },
  {
    name: 'why',
    group: 'look',
    summary: 'Say why a configuration changed, and what came of it',
    load: () => import('./commands/why.ts'),
  },
  {
    name: 'compare',
    group: 'look',
    summary: 'Hold runs against each other, in pairs, and say which is better',
    load: () => import('./commands/compare.ts'),
  },
  {
    name: 'report',
    group: 'look',
    summary: 'Write a run as one page: story, charts, evidence, proofs',
    load: () => import('./commands/report.ts'),
  },
  {
    name: 'sql',
    group: 'look',
    summary: 'Ask questions of runs, rollouts and curricula in SQL',
    load: () => import('./commands/sql.ts'),
  },
  {
    name: 'tail',
    group: 'look',
    summary: 'Show the last events, and follow new ones live',
    load: () => import('./commands/tail.ts'),
  },
  {
    name: 'event',
    group: 'look',
    summary: 'Show one event in full',
    load: () => import('./commands/event.ts'),
  },
  {
    name: 'ablate',
    group: 'ablate',
    summary: 'Decide anew on the same history: other contexts, other engineers',
    load: () => import('./commands/ablate.ts'),
  },
  {
    name: 'append',
    group: 'data',
    summary: 'Append events from a file or standard input',
    load: () => import('./commands/append.ts'),
  },
  {
    name: 'blob',
    group: 'data',
    summary: 'Put bytes into the blob store, for events to name, and get them out again',
    load: () => import('./commands/blob.ts'),
  },
  {
    name: 'project',
    group: 'data',
    summary: 'Bring the tables that SQL asks up to date, or keep them so',
    load: () => import('./commands/project.ts'),
  },
  {
    name: 'export',
    group: 'data',
    summary: 'Give tables, events or a whole run to other programs and places',
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'import',
    group: 'data',
    summary: 'Take in a run that was packed elsewhere',
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'copy',
    group: 'data',
    summary: 'Copy a ledger or one run to another place: a backup, a move, a gift',
    load: () => import('./commands/copy.ts'),
  },
  {
    name: 'redact',
    group: 'data',
    summary: 'Erase texts for good, and record that they were',
    load: () => import('./commands/redact.ts'),
  },
  {
    name: 'seal',
    group: 'trust',
    summary: 'Vouch for the evidence of a stage, so that it can no longer change unnoticed',
    load: () => import('./commands/seal.ts'),
  },
  {
    name: 'verify',
    group: 'trust',
    summary: 'Check that the ledger is what was written to it',
    load: () => import('./commands/verify.ts'),
  },
  {
    name: 'head',
    group: 'trust',
    summary: 'Print the state of the ledger in a few lines, to keep elsewhere',
    load: () => import('./commands/head.ts'),
  },
  {
    name: 'trust',
    group: 'trust',
    summary: 'Allow what settings and workspaces that are found here ask for',
    load: () => import('./commands/trust.ts'),
  },
  {
    name: 'doctor',
    group: 'trust',
    summary: 'Say what is installed, reachable and writable, and what to do about what is not',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'demo',
    group: 'try',
    summary: 'A small tour: run an experiment in half a minute and look at it',
    load: () => import('./commands/demo.ts'),
  },
  {
    name: 'lake',
    group: 'try',
    summary: 'Generate, solve, judge and draw frozen lakes with several agents on them',
    load: () => import('./commands/lake.ts'),
  },
  {
    name: 'completion',
    group: 'shell',
    summary: 'Print the completion script of a shell',
    load: () => import('./commands/completion.ts'),
  },
];

export function findCommand(name: string): Entry | undefined {
  return commands.find((entry) => entry.name === name);
}

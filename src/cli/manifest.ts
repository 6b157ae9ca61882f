// Every command by name, for help and dispatch. Static, so that help loads no command and a command loads no other.
import type { CommandFamily, CommandModule } from './command.ts';
import type { CommandName } from './names.ts';

export interface Entry {
  readonly name: CommandName;
  readonly family: string;
  readonly summary: string;
  load(): Promise<{ readonly command: CommandModule | CommandFamily }>;
}

export const families: readonly string[] = ['start', 'experiment', 'look', 'ablate', 'data', 'trust', 'try', 'shell'];

export const commands: readonly Entry[] = [
  {
    name: 'init',
    family: 'start',
    summary: 'Make a home and a ledger here',
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'run',
    family: 'experiment',
    summary: 'Run a staged experiment, or go on with one',
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'work',
    family: 'experiment',
    summary: 'Do rollouts of a run that others conduct, from any machine',
    load: () => import('./commands/work.ts'),
  },
  {
    name: 'fork',
    family: 'experiment',
    summary: 'Go on from a stage of a run with another engineer or form',
    load: () => import('./commands/fork.ts'),
  },
  {
    name: 'context',
    family: 'experiment',
    summary: 'Print what an engineer is shown after a stage',
    load: () => import('./commands/context.ts'),
  },
  {
    name: 'propose',
    family: 'experiment',
    summary: 'Ask an engineer what it would do, without adopting it',
    load: () => import('./commands/propose.ts'),
  },
  {
    name: 'adopt',
    family: 'experiment',
    summary: 'Record what a person decided on the next stage, and why',
    load: () => import('./commands/adopt.ts'),
  },
  {
    name: 'stage',
    family: 'experiment',
    summary: 'Drive a run stage by stage, around a trainer of your own',
    load: () => import('./commands/stage.ts'),
  },
  {
    name: 'annotate',
    family: 'experiment',
    summary: 'Note something about a run, a stage, a knob or an event',
    load: () => import('./commands/annotate.ts'),
  },
  {
    name: 'runs',
    family: 'look',
    summary: 'List the runs, the newest first',
    load: () => import('./commands/runs.ts'),
  },
  {
    name: 'show',
    family: 'look',
    summary: 'Show a run with its stages, or one stage in full',
    load: () => import('./commands/show.ts'),
  },
  {
    name: 'diff',
    family: 'look',
    summary: 'Show what differs between two stages',
    load: () => import('./commands/diff.ts'),
  },
  {
    name: 'why',
    family: 'look',
    summary: 'Say why a configuration changed, and what came of it',
    load: () => import('./commands/why.ts'),
  },
  {
    name: 'compare',
    family: 'look',
    summary: 'Hold runs against each other, in pairs, and say which is better',
    load: () => import('./commands/compare.ts'),
  },
  {
    name: 'report',
    family: 'look',
    summary: 'Write a run as one page: story, charts, evidence, proofs',
    load: () => import('./commands/report.ts'),
  },
  {
    name: 'sql',
    family: 'look',
    summary: 'Ask questions of runs, rollouts and curricula in SQL',
    load: () => import('./commands/sql.ts'),
  },
  {
    name: 'tail',
    family: 'look',
    summary: 'Show the last events, and follow new ones live',
    load: () => import('./commands/tail.ts'),
  },
  {
    name: 'event',
    family: 'look',
    summary: 'Show one event in full',
    load: () => import('./commands/event.ts'),
  },
  {
    name: 'ablate',
    family: 'ablate',
    summary: 'Decide anew on the same history: other contexts, other engineers',
    load: () => import('./commands/ablate.ts'),
  },
  {
    name: 'append',
    family: 'data',
    summary: 'Append events from a file or standard input',
    load: () => import('./commands/append.ts'),
  },
  {
    name: 'blob',
    family: 'data',
    summary: 'Put bytes into the blob store, for events to name, and get them out again',
    load: () => import('./commands/blob.ts'),
  },
  {
    name: 'project',
    family: 'data',
    summary: 'Bring the tables that SQL asks up to date, or keep them so',
    load: () => import('./commands/project.ts'),
  },
  {
    name: 'export',
    family: 'data',
    summary: 'Give tables, events or a whole run to other programs and places',
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'import',
    family: 'data',
    summary: 'Take in a run that was packed elsewhere',
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'copy',
    family: 'data',
    summary: 'Copy a ledger or one run to another place: a backup, a move, a gift',
    load: () => import('./commands/copy.ts'),
  },
  {
    name: 'redact',
    family: 'data',
    summary: 'Erase texts for good, and record that they were',
    load: () => import('./commands/redact.ts'),
  },
  {
    name: 'seal',
    family: 'trust',
    summary: 'Vouch for the evidence of a stage, so that it can no longer change unnoticed',
    load: () => import('./commands/seal.ts'),
  },
  {
    name: 'verify',
    family: 'trust',
    summary: 'Check that the ledger is what was written to it',
    load: () => import('./commands/verify.ts'),
  },
  {
    name: 'head',
    family: 'trust',
    summary: 'Print the state of the ledger in a few lines, to keep elsewhere',
    load: () => import('./commands/head.ts'),
  },
  {
    name: 'trust',
    family: 'trust',
    summary: 'Allow what settings and workspaces that are found here ask for',
    load: () => import('./commands/trust.ts'),
  },
  {
    name: 'doctor',
    family: 'trust',
    summary: 'Say what is installed, reachable and writable, and what to do about what is not',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'demo',
    family: 'try',
    summary: 'A small tour: run an experiment in half a minute and look at it',
    load: () => import('./commands/demo.ts'),
  },
  {
    name: 'lake',
    family: 'try',
    summary: 'Generate, solve, judge and draw frozen lakes with several agents on them',
    load: () => import('./commands/lake.ts'),
  },
  {
    name: 'completion',
    family: 'shell',
    summary: 'Print the completion script of a shell',
    load: () => import('./commands/completion.ts'),
  },
];

export function findCommand(name: string): Entry | undefined {
  return commands.find((entry) => entry.name === name);
}

// The options of every command that may start programs.
import type { Command } from 'commander';
import { again } from './again.ts';

export function withProgramOptions(command: Command): Command {
  return command
    .option('--programs', 'run the programs that the ledger names, without a question (they run with your permissions)')
    .option('--env <names>', 'environment variables that programs get in addition: WANDB_API_KEY,HF_HOME', again);
}

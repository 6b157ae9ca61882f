// icecore runs: the runs of the ledger, the newest first.
import type { CommandModule } from '../command.ts';

const notes = `
Shows for each run what it is about, how many of its stages are over, how good the policy was on the validation suite at
last, and how it stands: running (with who has it in hand), completed, failed, stopped, or recorded, where its events came
from elsewhere. Shares are in percent, with 95 % intervals in brackets. A run has the tags it was started with and those of
notes about it as a whole (icecore annotate --tag). Runs that ablations made are counted, and listed with --arms or --tag.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore runs', 'The last 20 runs'],
    ['icecore runs --environment lake --tag paper', 'Those on the lake that are tagged paper'],
    ['icecore runs --limit 1000 --json | jq -r \'.rows[] | select(.state == "failed") | .name\'', 'For a program'],
  ],
  declare: (command) =>
    command
      .option('--tag <tag>', 'only runs with this tag')
      .option('--environment <name>', 'only runs on this environment')
      .option('--arms', 'with runs that ablations made')
      .option('--limit <n>', 'at most so many; 20, where it is missing')
      .option('--md', 'print Markdown'),
  run: async (context, command) => {
    const { runs } = await import('../runs/list.ts');
    return await runs(context, command.opts());
  },
};

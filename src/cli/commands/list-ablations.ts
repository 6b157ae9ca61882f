import { defineCommand } from '../command.ts';
import { formatOption } from '../options.ts';

export const command = defineCommand({
  notes: `
List ablations, newest first. Each line has the name, the decisions that were made again (RUN@K), the number of arms and of training
seeds, and the state: running, completed, or stopped, which the command that started it continues. The last column is the most
important of its conclusions; icecore ablate --show NAME has them all.
`,
  examples: [
    ['icecore list ablations', 'All ablations of the ledger'],
    ["icecore list ablations --json | jq -r '.rows[].name'", 'For a program'],
  ],
  options: { format: formatOption },
  run: async (context, _, options) => (await import('../ablate/list.ts')).listAblations(context, options),
});

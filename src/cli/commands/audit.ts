import { argument, defineCommand } from '../command.ts';
import { formatOption } from '../options.ts';
import { runOrStage } from '../values-of-ledger.ts';

export const command = defineCommand({
  notes: `
Lists every decision of a run and every change that it made: the knob, the reason that was given, whether the evidence it cites was
shown and concerns it, and how often the policy succeeded before and after, with 95 % intervals. RUN@K lists one decision.
--format md prints the tables for an appendix. icecore why shows the evidence behind a change.
`,
  examples: [
    ['icecore audit', 'The last run'],
    ['icecore audit mine --format md > appendix.md', 'As Markdown, for an appendix'],
    ["icecore audit mine --json | jq '.changes[] | select(.holds | not)'", 'Changes whose citation does not hold'],
  ],
  args: { run: argument('[run]', 'RUN or RUN@K', runOrStage, { default: 'latest' }) },
  options: { format: formatOption },
  run: async (context, { run }, options) => (await import('../why/audit.ts')).audit(context, run, options),
});

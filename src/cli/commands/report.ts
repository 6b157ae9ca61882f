// icecore report: a run as one page.
import type { CommandModule } from '../command.ts';

const notes = `
Writes one HTML file that needs nothing else, neither network nor script, for whoever has no icecore: what the run was, stage
by stage what changed, why, on what evidence and what came of it, charts with their figures as tables, failures as they were
drawn, benchmarks, alerts, notes and decisions by people, how it was made, and how to check it against its ledger. It is
readable by day and by night, on a telephone and on paper.

On a terminal the file is named after the run, in the folder you are in; an older report there is replaced, nothing else is.
Where standard output is a pipe or a file, the report goes there; --out - does the same anywhere. --md writes the same words as
Markdown, --json what both are made from. A report holds what was recorded, names, reasons and drawings included: read it before
you give it away. The head of the ledger is in it where the ledger has no more than 200,000 events.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore report', 'Of the last run, into a file named after it'],
    ['icecore report mine --out mine-final.html', 'Into a file of your choice'],
    ['icecore report mine --md > mine.md', 'As Markdown, for a pull request or a wiki'],
    ["icecore report mine --json | jq '.story[] | [.stage, .turned]'", 'For a program'],
  ],
  declare: (command) =>
    command
      .argument('[run]', 'the run; the last one, where it is missing')
      .option('--out <file>', 'write it there; - is standard output, and an ending of .md means Markdown')
      .option('--md', 'write Markdown')
      .option('--all', 'also what is left out while a person decides'),
  run: async (context, command) => {
    const { report } = await import('../story/report.ts');
    return await report(context, command.args[0] ?? 'latest', command.opts());
  },
};

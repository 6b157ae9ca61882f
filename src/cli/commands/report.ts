import { choice, path } from '../../library/plugins/values.ts';
import { argument, defineCommand, flag, option } from '../command.ts';
import { runOrStage } from '../values-of-ledger.ts';

export const command = defineCommand({
  notes: `
Write one HTML file for readers without icecore. It shows what changed stage by stage, why, on what evidence and with what effect;
charts with their figures as tables, drawn failures, benchmarks, alerts and notes; how the run was made, and how to check it
against its ledger. The file needs no network and no script, has a light and a dark theme, and fits phones and paper.

On a terminal, the file is named after the run and replaces only an older report. If standard output is a pipe or a file, the
report goes there; --output - does the same anywhere. --format md writes the same as Markdown, --json or --format json the data
behind both.

--site writes a folder instead, with the page of icecore serve for this run: open index.html from disk, or put the folder on a web
server. It replaces an older site of the same run and nothing else.

A report has names, reasons and drawings as they were recorded: read it before you share it. It includes the head of the
ledger (a digest of all its events), unless the ledger has more than 200,000: that would take long.
`,
  examples: [
    ['icecore report', 'The last run, in a file named after it'],
    ['icecore report mine --output mine-final.html', 'In another file'],
    ['icecore report mine --format md > mine.md', 'As Markdown, for a pull request or a wiki'],
    ['icecore report mine --site mine-page', 'As a page to look around in: open mine-page/index.html'],
    ["icecore report mine --json | jq '.story[].stage'", 'For a program'],
  ],
  args: { run: argument('[run]', 'a run', runOrStage, { default: 'latest' }) },
  options: {
    output: option('--output <file>', 'write to a file (.html, .md or .json); - is standard output', path),
    format: option('--format <format>', 'html, md or json', choice(['html', 'md', 'json']), {
      otherwise: 'by the ending of the file, else html',
    }),
    site: option('--site <folder>', 'write the page of icecore serve for this run to a folder', path),
    all: flag(
      '--all',
      'include what is hidden while a person decides on the run: benchmarks and half of the probe tasks',
    ),
  },
  run: async (context, { run }, options) => (await import('../story/report.ts')).report(context, run, options),
});

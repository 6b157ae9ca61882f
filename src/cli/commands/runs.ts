import { integer, text } from '../../library/plugins/values.ts';
import { defineCommand, flag, option } from '../command.ts';
import { formatOption } from '../options.ts';

export const command = defineCommand({
  notes: `
List runs, newest first. Each line shows what a run is about, its completed stages, its last result on the validation tasks and
its state: running (with the process that runs it), completed, failed, stopped, or recorded if its events come from elsewhere.
Shares are in percent with 95 % intervals in brackets. A run has the tags it was started with and those of notes about it (icecore
annotate --tag). Runs made by ablations are counted, and listed with --arms or --tag.
`,
  examples: [
    ['icecore runs', 'The last 20 runs'],
    ['icecore runs --environment lake --tag paper', 'Runs on the lake with the tag paper'],
    ['icecore runs --limit 1000 --json | jq -r \'.rows[] | select(.state == "failed") | .name\'', 'For a program'],
  ],
  options: {
    tag: option('--tag <tag>', 'only runs with this tag', text),
    environment: option('--environment <name>', 'only runs on this environment', text),
    arms: flag('--arms', 'include runs made by ablations'),
    limit: option('--limit <n>', 'maximum number of runs', integer(1, 999_999_999), { default: '20' }),
    format: formatOption,
  },
  run: async (context, _, options) => (await import('../runs/list.ts')).runs(context, options),
});

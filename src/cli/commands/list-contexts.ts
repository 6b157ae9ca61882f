import { defineCommand } from '../command.ts';

export const command = defineCommand({
  config: 'run if trusted',
  notes: `
List the forms and modules. A form is the list of modules that an engineer is shown. Join modules with + to make your own, as in
--context failures+stats.
`,
  examples: [
    ['icecore list contexts', 'The forms and modules that --context accepts'],
    ["icecore list contexts --json | jq '.rows[] | [.name, .modules]'", 'For a program'],
  ],
  run: async (context) => (await import('../registered.ts')).listContexts(context),
});

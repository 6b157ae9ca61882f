import { defineCommand } from '../command.ts';

export const command = defineCommand({
  config: 'run if trusted',
  notes: `
List the built-in engineers, those of plugins and the models of the settings. Any program can be an engineer too: write it with
its arguments in quotes, as in --engineer "python3 easier.py" (docs/engineers.md).
`,
  examples: [
    ['icecore list engineers', 'The names that --engineer accepts'],
    ["icecore list engineers --json | jq -r '.rows[].name'", 'For a program'],
  ],
  run: async (context) => (await import('../registered.ts')).listEngineers(context),
});

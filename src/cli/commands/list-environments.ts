import { defineCommand } from '../command.ts';

export const command = defineCommand({
  config: 'run if trusted',
  notes: `
List the built-in environments. Any program can be an environment too: write it with its arguments in quotes, as in
--environment "python3 maze.py" (docs/environments.md).
`,
  examples: [
    ['icecore list environments', 'The names that --environment accepts'],
    ["icecore list environments --json | jq '.rows[] | [.name, .benchmarks]'", 'For a program'],
  ],
  run: async (context) => (await import('../registered.ts')).listEnvironments(context),
});

import { defineCommand } from '../command.ts';

export const command = defineCommand({
  config: 'run if trusted',
  notes: `
List the built-in engineers, those of plugins and the models of the settings. Any program can be an engineer too: write it with
its arguments in quotes, as in --engineer "python3 easier.py".

Such a program reads a question as JSON from standard input: "current" (the configuration), "descriptor" (its knobs), "context"
(modules with facts and their evidence ids) and "stage" (the last complete one). It prints one JSON object: "configuration" (a
whole one), "reasons" (a list of {"knob", "cites", "reason"}), and if it likes "kept", "predictions" and "rationale". See
docs/engineers.md.
`,
  examples: [
    ['icecore list engineers', 'The names that --engineer accepts'],
    ["icecore list engineers --json | jq -r '.rows[].name'", 'For a program'],
  ],
  run: async (context) => (await import('../registered.ts')).listEngineers(context),
});

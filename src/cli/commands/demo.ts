import { path } from '../../library/plugins/values.ts';
import { argument, defineCommand } from '../command.ts';

export const command = defineCommand({
  notes: `
Runs a small experiment in half a minute or more and looks at it, printing each command it runs: a network is trained on frozen lakes
in three stages, and between stages that network is asked which lakes to train on next.

Everything is in FOLDER, which has its own ledger: delete it and nothing is left. After Ctrl-C, or called again in the same folder, the
demo continues and repeats nothing.
`,
  examples: [
    ['icecore demo', 'In ./icecore-demo'],
    ['icecore demo tour', 'In another folder'],
  ],
  args: { folder: argument('[folder]', 'created if missing', path, { default: 'icecore-demo' }) },
  run: async (context, { folder }) => (await import('../demo/demo.ts')).demo(context, folder),
});

import { path } from '../../library/plugins/values.ts';
import { argument, defineCommand } from '../command.ts';

export const command = defineCommand({
  notes: `
Run a small experiment in about half a minute and print each command and its output: a network is trained on frozen lakes in three
stages, and between stages it is asked which lakes to train on next.

Everything is in FOLDER, which has its own ledger: delete the folder to remove everything. Run the command again after Ctrl-C to
continue; nothing is repeated.
`,
  examples: [
    ['icecore demo', 'In ./icecore-demo'],
    ['icecore demo tour', 'In another folder'],
  ],
  args: { folder: argument('[folder]', 'created if missing', path, { default: 'icecore-demo' }) },
  run: async (context, { folder }) => (await import('../demo/demo.ts')).demo(context, folder),
});

import { path } from '../../library/plugins/values.ts';
import { argument, defineCommand } from '../command.ts';

export const command = defineCommand({
  notes: `
Run a small experiment in about 25 seconds and explain it, printing each command: a network is trained on frozen lakes in three
stages, and after each stage it redesigns its training tasks. Then an ablation measures what it is worth to show an engineer failures,
in an environment whose failures say what to practise.

Everything is in FOLDER, which has its own ledgers: delete the folder to remove everything. Run the command again after Ctrl-C to
continue; nothing is repeated.
`,
  examples: [
    ['icecore demo', 'In ./icecore-demo'],
    ['icecore demo tour', 'In another folder'],
  ],
  args: { folder: argument('[folder]', 'created if missing', path, { default: 'icecore-demo' }) },
  run: async (context, { folder }) => (await import('../demo/demo.ts')).demo(context, folder),
});

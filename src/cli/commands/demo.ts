// icecore demo: a small tour.
import type { CommandModule } from '../command.ts';

const notes = `
It runs a small experiment, in half a minute or more, and looks at it, each step under the command that does it: a network is
trained on frozen lakes in three stages, and between them it is asked itself which lakes to train on next.

Everything happens in FOLDER, which has a ledger of its own: delete it and nothing is left. Stopped by Ctrl-C or called again
in the same folder, the demo goes on where it was, and does nothing twice.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore demo', 'In ./icecore-demo'],
    ['icecore demo tour', 'Somewhere else'],
  ],
  declare: (command) => command.argument('[folder]', 'where to; made when it is missing', 'icecore-demo'),
  run: async (context, command) => {
    const { demo } = await import('../demo/demo.ts');
    return await demo(context, command.processedArgs[0] as string);
  },
};

// icecore demo: a small tour.
import type { CommandModule } from '../command.ts';

const notes = `
Everything happens in FOLDER, which has a ledger of its own: delete it and nothing is left. The history is written by hand,
small enough to read: one stage of a run, its rollouts and failures, and the change of configuration they led to.
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

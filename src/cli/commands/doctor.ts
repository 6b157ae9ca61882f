// icecore doctor: what is there, and what to do about what is not.
import type { CommandModule } from '../command.ts';

const notes = `
Looking changes nothing and makes nothing. The exit code is 1 when a check failed; warnings are no failures.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore doctor', 'The ledger in use here'],
    ['icecore doctor --ledger sqlite:/data/experiments.db', 'Another ledger'],
    ['icecore doctor --json | jq \'.rows[] | select(.status != "ok")\'', 'Only what is not well, for a program'],
  ],
  declare: (command) => command,
  run: async (context) => {
    const { doctor } = await import('../doctor.ts');
    return await doctor(context);
  },
};

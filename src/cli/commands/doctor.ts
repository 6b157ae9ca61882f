// icecore doctor: what is there, and what to do about what is not.
import type { CommandModule } from '../command.ts';

const notes = `
Looking changes nothing and makes nothing. The exit code is 1 when a check failed; warnings are no failures.

Each model in icecore.config.json is asked one short question, all of them at once, and given 20 seconds. What that can cost at
most is said before; the answers are kept nowhere. A model that is called by its checkpoints, and has no base, cannot be
asked before there is one: its endpoint is asked which models it has. What gets credentials, or is on another machine, is asked
only after icecore trust allowed it.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore doctor', 'The ledger in use here'],
    ['icecore doctor --ledger sqlite:/data/experiments.db', 'Another ledger'],
    ['icecore doctor --no-models', 'Without a question to any model'],
    ['icecore doctor --json | jq \'.rows[] | select(.status != "ok")\'', 'Only what is not well, for a program'],
  ],
  declare: (command) =>
    command.option('--no-models', 'ask no models, and pay nothing').option('--md', 'print Markdown'),
  run: async (context, command) => {
    const { doctor } = await import('../doctor.ts');
    return await doctor(context, command.opts());
  },
};

import { defineCommand, negation } from '../command.ts';
import { formatOption } from '../options.ts';

export const command = defineCommand({
  notes: `
Checks change nothing and create nothing. The exit code is 1 if a check fails; warnings do not count.

Each model in icecore.config.json is asked one short question, all at once, with 20 seconds to answer. The highest possible cost is
printed first; answers are not kept. A model that is addressed by its checkpoints and has no base cannot be asked before there is one:
its endpoint is asked for its list of models. Endpoints that get credentials, or are on another machine, are asked only after icecore
trust allowed it.
`,
  examples: [
    ['icecore doctor', 'The ledger in use here'],
    ['icecore doctor --ledger sqlite:/data/experiments.db', 'Another ledger'],
    ['icecore doctor --no-models', 'Without asking any model'],
    ['icecore doctor --json | jq \'.rows[] | select(.status != "ok")\'', 'Only what is not ok, for a program'],
  ],
  options: { models: negation('--no-models', 'ask no model and pay nothing'), format: formatOption },
  run: async (context, _, options) => (await import('../doctor.ts')).doctor(context, options),
});

import { defineCommand, negation } from '../command.ts';
import { formatOption } from '../options.ts';

export const command = defineCommand({
  notes: `
Check the installation, the workspace, the ledger, the blobs and the models. Nothing is changed or created. The exit code is 1 if
a check fails; warnings do not count.

Each model in icecore.config.json is asked one short question, all at once, with 20 seconds to answer. The highest possible cost
is printed first, and answers are not stored. A model whose name contains its checkpoint and that has no base cannot be asked
before the first training: its endpoint is asked for its list of models. Endpoints that get credentials or are on another machine
are asked only if icecore trust allows it.
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

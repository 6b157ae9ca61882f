import { right, table } from 'icecore/document';
import { defineCommand, definePlugin, option, values } from 'icecore/plugins';

const unfinished = defineCommand({
  notes: 'Lists the runs that are not complete, and the commands that resume them.',
  examples: [['icecore acme unfinished --stages 2', 'Those with at least two complete stages']],
  options: { stages: option('--stages <n>', 'minimum number of complete stages', values.integer(0), { default: '0' }) },
  async run({ workspace, flags, print, printJson, hint }, _, { stages }) {
    const { rows } = await workspace.runs();
    const found = rows.filter(({ state, done }) => state !== 'completed' && done >= stages);
    if (flags.json) await printJson({ rows: found });
    else {
      const runs = table(found, [
        { title: 'run', cell: ({ name }) => name },
        right('complete stages', ({ done }) => String(done)),
      ]);
      await print({ title: null, blocks: [runs], sections: [] });
      for (const { name } of found) await hint(`icecore resume ${name}`);
    }
    return found.length === 0 ? 0 : 1;
  },
});

export const acme = definePlugin({
  name: 'acme',
  commands: [{ name: 'acme unfinished', summary: 'List unfinished runs', load: async () => unfinished }],
});

import { path } from '../../library/plugins/values.ts';
import { argument, defineCommand, option } from '../command.ts';
import { run } from '../values-of-ledger.ts';

export const command = defineCommand({
  notes: `
Write one file with a run. It has all events of the run, of the runs whose history it shares if it is a fork, and of the ablations
about it, with the texts, checkpoints and recorded model answers they name. The same run gives the same bytes. It is a tar file
packed with zstd: tar --zstd -tf lists it.

Not included: other runs, unfinished trainings, the environment and trainer if they are your programs, and checkpoints that are
only names, which are listed.
`,
  examples: [
    ['icecore export bundle latest', 'The newest run, to NAME.icecore.tar.zst here'],
    ['icecore export bundle first-run --output paper/run.icecore.tar.zst', 'To another file'],
    ['icecore export bundle first-run --output - | ssh far icecore import bundle -', 'To another machine at once'],
  ],
  args: { run: argument('<run>', 'name, start of a name, identity or latest', run) },
  options: {
    output: option('--output <file>', 'the file to write; - is standard output', path, {
      otherwise: 'NAME.icecore.tar.zst',
    }),
  },
  run: async (context, { run }, options) => (await import('../export/bundle.ts')).exportBundleTo(context, run, options),
});

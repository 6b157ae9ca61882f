// icecore export bundle: a run as one file.
import type { CommandModule } from '../../command.ts';

const notes = `
The bundle holds all events of the run, of the runs whose history it shares where it is a fork, and of ablations that
concern it, with the texts, checkpoints and recorded answers of models they name. The same run gives the same bytes.
It is a tar, packed with zstd: tar --zstd -xf looks inside.

What is not in it: other runs, half-done trainings, the environment and trainer where they are programs of yours, and
checkpoints that are names of something elsewhere, which are told of.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore export bundle latest', 'The newest run, into NAME.icecore.tar.zst here'],
    ['icecore export bundle first-run --out paper/run.icecore.tar.zst', 'Into a file of your choice'],
    ['icecore export bundle first-run --out - | ssh far icecore import bundle -', 'To another machine at once'],
  ],
  declare: (command) =>
    command
      .argument('<run>', 'its name, the beginning of one, its identity, or latest')
      .option('--out <file>', 'the file; - for standard output; NAME.icecore.tar.zst here where this is missing'),
  run: async (context, command) => {
    const { exportBundle } = await import('../../export/bundle.ts');
    return await exportBundle(context, command.args[0] ?? '', command.opts());
  },
};

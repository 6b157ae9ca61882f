// icecore event: one event in full.
import type { CommandModule } from '../command.ts';

const notes = `
EVENT is an id, the beginning of one (at least four hexadecimal digits), or STREAM@REVISION. Data is shown as it was
stored, texts kept as blobs with the blob's digest beside. Long texts are shortened, with their size; --json shows the
event as it is, icecore blob get a text that is kept as a blob.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore event 0b7e41c2', 'By the beginning of its id'],
    ['icecore event run-mine@0', 'By its place: the first event of a stream'],
    ['icecore event run-mine@0 --json | jq .data', 'For a program'],
  ],
  declare: (command) =>
    command
      .argument('<event>', 'an id, the beginning of one, or STREAM@REVISION')
      .option('--cloudevents', 'as CloudEvents 1.0'),
  run: async (context, command) => {
    const { showEvent } = await import('../events/show.ts');
    return await showEvent(context, command.args[0] ?? '', command.opts());
  },
};

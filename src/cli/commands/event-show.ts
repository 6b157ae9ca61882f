import { text } from '../../library/plugins/values.ts';
import { argument, defineCommand, flag } from '../command.ts';

export const command = defineCommand({
  notes: `
Show one event in full. EVENT is an id, the start of one (at least four hexadecimal digits), or STREAM@REVISION. Data is shown as
it was stored, and texts in blobs with the digest of the blob. Long texts are shortened, with their size; --json shows the event
as it is, and icecore blob get prints the text of a blob.
`,
  examples: [
    ['icecore event show 0b7e41c2', 'By the start of its id'],
    ['icecore event show run-mine@0', 'By its place: the first event of a stream'],
    ['icecore event show run-mine@0 --json | jq .data', 'For a program'],
  ],
  args: { event: argument('<event>', 'an id, the start of one, or STREAM@REVISION', text) },
  options: { cloudevents: flag('--cloudevents', 'as CloudEvents 1.0') },
  run: async (context, { event }, options) =>
    (await import('../events/event-text.ts')).showEvent(context, event, options),
});

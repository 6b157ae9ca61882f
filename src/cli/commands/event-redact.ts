import { text } from '../../library/plugins/values.ts';
import { argument, defineCommand, flag, option } from '../command.ts';
import { actorOption } from '../options.ts';

export const command = defineCommand({
  config: 'run',
  notes: `
Destroy the texts of events (prompts, completions, reasoning, transcripts, recorded answers) that are stored as blobs, and record
a Redacted event that says which and why. The events themselves stay: digests, chains and proofs still hold, and icecore verify
shows what was erased. This cannot be undone.

A text inside an event cannot be erased, nor can a decision. Store texts that may have to be erased as blobs: icecore event append
--texts blobs. If part of an event's text would stay, nothing is erased without --partly. A text that several events of a run
share is stored once and erased for all of them; appended to that run again, it is not stored again. If other runs or decisions
name the same text, nothing is erased without --everywhere, which records the redaction for each of them. Copies elsewhere keep
the text until icecore ledger copy --erase brings them the redaction.

Everything is checked before anything is erased. If the command is interrupted, icecore verify shows what is left, and repeating
the command erases it.
`,
  examples: [
    ["icecore event redact 0b7e41c2 --reason 'contains a name'", 'By the start of its id'],
    [
      "icecore event redact --partly evidence-mine-1-0-0@7 --reason 'contains a name'",
      'By its place, as far as possible',
    ],
  ],
  args: { events: argument('<event...>', 'ids, starts of ids, or STREAM@REVISION', text) },
  options: {
    reason: option('--reason <text>', 'why; this is recorded and stays', text, { required: true }),
    partly: flag('--partly', 'erase what is possible if part of the text is in the event itself'),
    everywhere: flag('--everywhere', 'erase the text for other runs and decisions that name it, too'),
    actor: actorOption,
  },
  run: async (context, { events }, options) =>
    (await import('../trust/redact.ts')).redactEvents(context, events, options),
});

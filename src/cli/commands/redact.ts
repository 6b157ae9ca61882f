// icecore redact: erase texts for good, and say so.
import type { CommandModule } from '../command.ts';

const notes = `
Destroys the texts of events (prompts, completions, reasoning, transcripts, recorded answers) that are kept as blobs, and
records a Redacted event that says which and why. The events themselves stand: digests, chains and proofs still hold, and
icecore verify shows what was erased. There is no way back.

A text that stands in an event itself cannot be erased, nor can a decision. Keep what may have to go as blobs: icecore
append --texts blobs. Where a part of an event's text would stay, nothing is erased unless --partly says that this is meant.
A text that several events of a run share is kept once, and is erased for all of them; appended to that run again, it is
not kept again. Where other runs or decisions name the same text, nothing is erased unless --everywhere says so; then the
redaction is recorded for each of them. Copies elsewhere keep theirs until icecore copy --erase brings them the redaction.

Everything is looked at before anything is erased. Where it is interrupted then, icecore verify shows what is left, and the
same command again erases it.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ["icecore redact 0b7e41c2 --reason 'a name was in it'", 'By the beginning of its id'],
    ["icecore redact --partly evidence-mine-1-0-0@7 --reason 'a name was in it'", 'What can be, by its place'],
  ],
  declare: (command) =>
    command
      .argument('<event...>', 'ids of events, the beginnings of them, or STREAM@REVISION')
      .requiredOption('--reason <text>', 'why; it is recorded and stays')
      .option('--partly', 'erase what can be where a part of the text stands in the event itself')
      .option('--everywhere', 'erase the text also for other runs and decisions that name it')
      .option('--actor <who>', 'who does it, as kind/identity; you, where it is missing'),
  run: async (context, command) => {
    const { redactEvents } = await import('../trust/redact.ts');
    return await redactEvents(context, command.args, command.opts());
  },
};

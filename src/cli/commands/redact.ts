// icecore redact: erase texts for good, and say so.
import type { CommandModule } from '../command.ts';

const notes = `
Destroys the texts of events (prompts, completions, reasoning, transcripts, recorded answers) that are kept as blobs, and
records a Redacted event that says which and why. The events themselves stand: digests, chains and proofs still hold, and
icecore verify shows what was erased. There is no way back.

A text that stands in an event itself cannot be erased, nor can a decision. Keep what may have to go as blobs: icecore
append --texts blobs. A text that several events share is kept once, and is erased for all of them. Copies elsewhere keep
theirs until icecore copy brings them the redaction.
`;

export const command: CommandModule = {
  notes,
  examples: [["icecore redact 0b7e41c2 --reason 'a name was in it'", 'By the beginning of its id']],
  declare: (command) =>
    command
      .argument('<event...>', 'ids of events, or the beginnings of them')
      .requiredOption('--reason <text>', 'why; it is recorded and stays')
      .option('--actor <who>', 'who does it, as kind/identity; you, where it is missing'),
  run: async (context, command) => {
    const { redactEvents } = await import('../trust/redact.ts');
    return await redactEvents(context, command.args, command.opts());
  },
};

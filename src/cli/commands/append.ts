// icecore append: events from a file or standard input into the ledger.
import type { CommandModule } from '../command.ts';

const notes = `
The input holds one JSON object a line: {id, stream, type, actor, data, at?, version?, run?, stage?, causes?}, or events
as icecore tail --json prints them, or CloudEvents 1.0 (one a line, a list, or objects over many lines). It may be of any
size. The sender gives every event its id, a UUID: an event whose id is there already is not stored again, so that a
repeated append repeats nothing.

A CloudEvent must carry specversion "1.0", id, type (RolloutRecorded, or icecore.RolloutRecorded), source (who did it, as
kind/identity: human/ada), subject (the stream, unless --stream names it) and data. It may carry time, datacontenttype,
dataschema, schemaversion, run, stage, causes (a list as JSON text), and what a ledger gave it. Other attributes are refused.

The first bad line stops; what came before it stays. With --rejects, bad lines go to a file, one {line, error, text, ...}
each, the others are appended, and the exit code is 1 if there were any. That file can be appended in its turn, once the
texts in it are corrected.

Texts (prompts, completions, reasoning, transcripts, answers) of more than 32 KiB are kept as blobs beside the ledger, and
their events name the blobs. With --texts blobs every text is, so that icecore redact can erase it later; with --texts
inline none is. Without the flag ICECORE_TEXTS says so, or "texts" in icecore.config.json, for all commands. Append an input again with the same --texts: an event that names a blob is not the one that holds the text.
An event that names a blob itself needs it there first: icecore blob put.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore append events.ndjson', 'From a file'],
    ['python train.py | icecore append --stream evidence-mine-1-0-0', 'From a program, into one stream'],
    ['icecore append --rejects bad.ndjson events.ndjson', 'Set bad lines aside, take the rest'],
    ['icecore append --texts blobs answers.ndjson', 'Keep every text so that it can be erased'],
    ['icecore append bad.ndjson', 'Append these once "text" was corrected in each'],
    ['icecore tail -n 1000 --json | icecore append --ledger sqlite:copy.db', 'From another ledger'],
  ],
  declare: (command) =>
    command
      .argument('[file]', 'the file to read; standard input where it is - or missing')
      .option('--stream <stream>', 'where events go that name no stream')
      .option('--expect <state>', 'none, exists, any, or the last revision the stream has; needs --stream')
      .option('--rejects <file>', 'write bad lines here and go on')
      .option('--texts <where>', 'blobs or inline; unless it is settled, texts over 32 KiB go to blobs')
      .option('--dry-run', 'check every line, append nothing'),
  run: async (context, command) => {
    const { append } = await import('../append/append.ts');
    return await append(context, command.args[0] ?? '-', command.opts());
  },
};

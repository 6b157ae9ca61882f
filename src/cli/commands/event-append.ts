import type { AppendFromOptions } from '../../library/events/append.ts';
import { badOption } from '../../library/option-error.ts';
import { choice, path } from '../../library/plugins/values.ts';
import { argument, defineCommand, flag, option, type ValueType } from '../command.ts';
import { stream } from '../values-of-ledger.ts';

const words = ['none', 'exists', 'any'] as const;

/** What the stream must be like: a word, or the last revision it has. */
const state: ValueType<NonNullable<AppendFromOptions['expect']>> = {
  parse: (typed, field) => {
    const word = words.find((one) => one === typed);
    if (word !== undefined) return word;
    if (/^(?:0|[1-9][0-9]{0,14})$/.test(typed)) return Number(typed);
    throw badOption(field, typed, 'none, exists, any, or a revision from 0');
  },
  complete: () => words.map((value) => ({ value, about: '' })),
};

export const command = defineCommand({
  config: 'run',
  notes: `
Append events to the ledger. The input has one JSON object per line: {id, stream, type, actor, data, at?, version?, run?, stage?,
causes?}, or events as icecore event tail --json prints them, or CloudEvents 1.0 (one per line, a list, or objects over many
lines). It can have any size. The sender gives every event its id, a UUID. An event whose id is already stored is not stored
again, so an append can be repeated.

A CloudEvent needs specversion "1.0", id, type (RolloutRecorded, or icecore.RolloutRecorded), source (who did it, as
kind/identity: human/ada), subject (the stream, unless --stream names it) and data. It can have time, datacontenttype, dataschema,
schemaversion, run, stage, causes (a list as JSON text), and the attributes that a ledger adds. Other attributes are refused.

The first invalid line stops the command; the lines before it are stored. With --rejects, invalid lines go to a file, one {line,
error, text, ...} each, all others are appended, and the exit code is 1 if there were any. Correct the texts in that file and
append it.

Texts (prompts, completions, reasoning, transcripts, answers) over 32 KiB are stored as blobs that their events name. With --texts
blobs every text is, so that icecore event redact can erase it later; with --texts inline none is. ICECORE_TEXTS or "texts" in
icecore.config.json sets this for all commands. Repeat an append with the same --texts: an event that names a blob is not equal to
one that holds the text. If an event names a blob itself, store the blob first: icecore blob put.
`,
  examples: [
    ['icecore event append events.ndjson', 'From a file'],
    ['python train.py | icecore event append --stream evidence-mine-1-0-0', 'From a program, into one stream'],
    ['icecore event append --rejects bad.ndjson events.ndjson', 'Set invalid lines aside and append the rest'],
    ['icecore event append --texts blobs answers.ndjson', 'Store every text so that it can be erased'],
    ['icecore event append bad.ndjson', 'Append rejected lines after "text" was corrected in each'],
    ['icecore event tail -n 1000 --json | icecore event append --ledger sqlite:copy.db', 'From another ledger'],
  ],
  args: { file: argument('[file]', 'file to read; - is standard input', path, { default: '-' }) },
  options: {
    stream: option('--stream <stream>', 'stream of events that name none', stream),
    expect: option('--expect <state>', 'expected state of the stream: none, exists, any, or its last revision', state),
    rejects: option('--rejects <file>', 'write invalid lines to this file and continue', path),
    texts: option(
      '--texts <where>',
      'where texts go: blobs or inline',
      choice(['blobs', 'inline'], 'Leave it out to store texts over 32 KiB as blobs and shorter ones in their events.'),
      { otherwise: 'blobs over 32 KiB' },
    ),
    dryRun: flag('--dry-run', 'check every line and append nothing'),
  },
  run: async (context, { file }, options) => (await import('../append/append.ts')).append(context, file, options),
});

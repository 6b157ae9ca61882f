import { path } from '../../library/plugins/values.ts';
import { argument, defineCommand, flag } from '../command.ts';

export const command = defineCommand({
  config: 'run',
  notes: `
Store a file or standard input of any size and print its digest, its size, and what to write into an event that names it: {"blob":
DIGEST, "bytes": BYTES}. The same bytes are stored once. They are durable when the command returns: put first, then append the
event.

Blobs are beside the ledger (ledger.blobs beside ledger.db), or where ICECORE_BLOBS or "blobs" in icecore.config.json says.
Prompts, completions and transcripts need no put: icecore event append --texts blobs stores them. What icecore event redact erased
is not stored again without --restore. A redaction without authority (icecore verify names it) has no effect.
`,
  examples: [
    ['icecore blob put transcript.json', 'Store a file'],
    ['python render.py | icecore blob put - --json', 'Store the output of a program'],
  ],
  args: { file: argument('<file>', 'the file; - is standard input', path) },
  options: { restore: flag('--restore', 'store it even where it was redacted') },
  run: async (context, { file }, options) => (await import('../blob/blob.ts')).putBlob(context, file, options),
});

// icecore blob: bytes into the blob store, and out of it.
import { Argument } from 'commander';
import type { CommandModule } from '../command.ts';

const notes = `
put stores a file or standard input, of any size, and prints its digest, its size, and what to write into an event that
names it: {"blob": DIGEST, "bytes": BYTES}. The same bytes are stored once. They are durable when the command returns: put
first, then append the event. get writes the bytes to standard output, checked on the way.

Blobs are beside the ledger (ledger.blobs, beside ledger.db), or where ICECORE_BLOBS or "blobs" in icecore.config.json says.
A prompt, completion or transcript need not be put: icecore append --texts blobs keeps all of these as blobs. What was
erased with icecore redact is not kept again, unless --restore says so. A redaction without authority (icecore verify names
it) keeps nothing out: what was lost by one can be put again.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore blob put transcript.json', 'Store a file'],
    ['python render.py | icecore blob put - --json', 'What a program writes, told to a program'],
    [
      'icecore blob get 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae > transcript.json',
      'Get it back',
    ],
  ],
  declare: (command) =>
    command
      .addArgument(new Argument('<do>', 'put or get').choices(['put', 'get']))
      .argument('<what>', 'put: the file, - for standard input; get: the digest')
      .option('--restore', 'put: keep it also where it was redacted'),
  run: async (context, command) => {
    const [action, what = ''] = command.args;
    const { getBlob, putBlob } = await import('../blob/blob.ts');
    return action === 'put' ? await putBlob(context, what, command.opts()) : await getBlob(context, what);
  },
};

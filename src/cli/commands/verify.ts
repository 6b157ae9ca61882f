// icecore verify: is the ledger what was written to it?
import type { CommandModule } from '../command.ts';

const notes = `
Hashes the stored bytes of every event and holds them against their digests, each stream's chain, the seals over evidence,
the catalogue and the blobs that events name. RUN, a name, the beginning of one or latest, verifies one run only. The exit
code is 1 when anything is wrong.

With --head, a file that icecore head wrote earlier, it also tells whether anything up to then was altered, reordered or
cut off at the end: without a head, nothing in the ledger itself can tell that its last events were removed, but for
evidence under a seal. --key names the public key that must have signed the head.

--prove prints a proof that one event is in the ledger, which anybody can check with SHA-256 alone: docs/trust.md says how.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore verify', 'Everything'],
    ['icecore verify --head monday.json --key head.pub', 'Against a signed head that was kept elsewhere'],
    ['icecore verify latest', 'The last run only'],
    ['icecore verify --prove 0b7e41c2 > proof.json', 'A proof for somebody else'],
  ],
  declare: (command) =>
    command
      .argument('[run]', 'one run only: its name, the beginning of one, its identity, or latest')
      .option('--head <file>', 'what icecore head printed; - for standard input')
      .option('--key <file>', 'the public key (PEM) that must have signed the head')
      .option('--prove <event>', 'print a proof that this event is in the ledger: an id, or STREAM@REVISION')
      .option('--resume', 'go on where an interrupted verification of everything was stopped'),
  run: async (context, command) => {
    const { verify } = await import('../trust/verify.ts');
    return await verify(context, command.args[0], command.opts());
  },
};

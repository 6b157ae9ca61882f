// icecore verify: is the ledger what was written to it?
import { again } from '../again.ts';
import type { CommandModule } from '../command.ts';

const notes = `
Hashes the stored bytes of every event and holds them against their digests, each stream's chain, the seals over evidence,
the catalogue and the blobs that events name. RUN, a name, the beginning of one or latest, verifies one run only. The exit
code is 1 when anything is wrong.

That tells of damage and of careless changes. Whoever can write the file can rewrite all of it consistently (every digest,
chain and seal) or cut off its end: only a head kept elsewhere, or a proof, or a copy, tells. With --head, a file that icecore
head wrote earlier, it tells whether anything up to then was altered, reordered or cut off. --key names the public key that
must have signed the head. A head is of everything, so it does not go with RUN.

A verification of everything that is stopped leaves its notes beside the ledger, in LEDGER.verify.json; --resume goes on from
them, with the same head if there was one, and they are taken away when it is done.

--recompute computes again, of all runs or of RUN, what follows from what was recorded before, and compares: every rollout
is judged once more by its environment, summaries are added up, contexts built, proposals scored, decisions made. What
cannot be computed again is counted, with the reason. Where the environment of a run is a program, --programs runs it, in the
folder you are in: whoever wrote the ledger chose it.

--tables fills all tables anew in a temporary file, as far as the present ones go, and names each table that differs; without
it, tables that something else than icecore has changed, or that hold other events than the ledger, are a notice.

--prove prints a proof that one event is in the ledger, which anybody can check with SHA-256 alone: docs/trust.md says how.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore verify', 'Everything'],
    ['icecore verify --head monday.json --key head.pub', 'Against a signed head that was kept elsewhere'],
    ['icecore verify latest', 'The last run only'],
    ['icecore verify latest --recompute', 'And whether what it recorded follows from what it recorded before'],
    ['icecore verify --prove 0b7e41c2 > proof.json', 'A proof for somebody else'],
  ],
  declare: (command) =>
    command
      .argument('[run]', 'one run only: its name, the beginning of one, its identity, or latest')
      .option('--head <file>', 'what icecore head printed; - for standard input')
      .option('--key <file>', 'the public key (PEM) that must have signed the head')
      .option('--prove <event>', 'print a proof that this event is in the ledger: an id, or STREAM@REVISION')
      .option('--recompute', 'also compute again what is computable from earlier events, and compare')
      .option('--programs', 'with --recompute: run the programs that runs name as their environments')
      .option('--env <names>', 'with --programs: environment variables that they get in addition', again)
      .option('--tables', 'also fill the tables anew and compare: each table that differs is a fault')
      .option('--resume', 'go on where an interrupted verification of everything was stopped'),
  run: async (context, command) => {
    const { verify } = await import('../trust/verify.ts');
    return await verify(context, command.args[0], command.opts());
  },
};

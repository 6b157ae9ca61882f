// icecore copy: a ledger, or one run of it, to another place.
import type { CommandModule } from '../command.ts';

const notes = `
Copies events in their order, in the same bytes, with the blobs they name, and holds the copy against the original at the
end. What is there already is not copied again: an interrupted copy goes on, a second one adds what is new. The original
may be written to meanwhile.

A copy of everything to a new place is the same ledger: heads fit it, and it can take the original's place (docs/backup.md).
A copy of one run, or into a ledger that has other events, keeps that ledger's own identity.
Where that has a run already and the original has more of it, nothing is written unless --extend says so: after a copy that
was stopped, or to bring the run up to date.

Nothing is erased in the copy. A text that was redacted in the original and that the copy still has is listed; --erase
erases it, unless another run names it too.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore copy sqlite:.icecore/ledger.db sqlite:/backup/ledger.db', 'A backup; again, to bring it up to date'],
    ['icecore copy sqlite:.icecore/ledger.db sqlite:paper.db --run latest', 'One run, to give away'],
  ],
  declare: (command) =>
    command
      .argument('<from>', 'the URL of a ledger')
      .argument('<to>', 'the URL of the copy; made where it is missing')
      .option('--run <run>', 'one run only: its name, the beginning of one, its identity, or latest')
      .option('--from-blobs <url>', 'the blobs of the original; beside it where this is missing')
      .option('--to-blobs <url>', 'the blobs of the copy; beside it where this is missing')
      .option('--extend', 'add events also to runs that are there already, in a ledger of its own')
      .option('--erase', 'erase in the copy the texts that were redacted in the original'),
  run: async (context, command) => {
    const { copy } = await import('../trust/copy.ts');
    return await copy(context, command.args as [string, string], command.opts());
  },
};

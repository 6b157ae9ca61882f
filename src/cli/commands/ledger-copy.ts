import { text } from '../../library/plugins/values.ts';
import { argument, defineCommand, flag, option } from '../command.ts';
import { run } from '../values-of-ledger.ts';

export const command = defineCommand({
  config: 'run',
  notes: `
Copy events in their order and in the same bytes, with the blobs they name, and compare the copy with the original at the end.
Repeat the command to copy what is new or to continue an interrupted copy. The original can be in use meanwhile.

A copy of everything to a new place is the same ledger: heads match it, and it can replace the original (docs/ledgers.md). A copy
of one run, or into a ledger that has other events, keeps the identity of that ledger. If that ledger already has part of a run,
nothing is written without --extend: use it to continue a copy that was stopped, or to bring the run up to date.

Nothing is erased in the copy. A text that was redacted in the original and is still in the copy is listed; --erase erases it
unless another run names it, too.
`,
  examples: [
    [
      'icecore ledger copy sqlite:.icecore/ledger.db sqlite:/backup/ledger.db',
      'A backup; repeat it to bring it up to date',
    ],
    ['icecore ledger copy sqlite:.icecore/ledger.db sqlite:paper.db --run latest', 'One run, to share'],
  ],
  args: {
    from: argument('<from>', 'URL of a ledger', text),
    to: argument('<to>', 'URL of the copy; created if missing', text),
  },
  options: {
    run: option('--run <run>', 'copy one run only: name, start of a name, identity or latest', run),
    fromBlobs: option('--from-blobs <url>', 'blobs of the original', text, { otherwise: 'beside it' }),
    toBlobs: option('--to-blobs <url>', 'blobs of the copy', text, { otherwise: 'beside it' }),
    extend: flag('--extend', 'add events to runs that are there already, in a ledger of its own'),
    erase: flag('--erase', 'erase in the copy what was redacted in the original'),
  },
  run: async (context, { from, to }, options) => (await import('../trust/copy.ts')).copy(context, [from, to], options),
});

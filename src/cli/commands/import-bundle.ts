import { path } from '../../library/plugins/values.ts';
import { argument, defineCommand, flag } from '../command.ts';

export const command = defineCommand({
  config: 'run',
  notes: `
Unpack the bundle beside the ledger and verify it first: every member against the list, every event against its digest, chain and
seal. A difference is named, and nothing is written. Events are then stored with their own ids, digests and times, so icecore
verify proves the same as in the original ledger. The ledger keeps its identity and can hold runs of several others. Repeating an
import adds nothing. If the ledger already has part of a run, nothing is written without --extend: use it to continue an import
that was stopped, or when the run was exported again later.

Nothing is erased here. Texts that the run redacted and that are here are listed; --erase erases those that nothing else in the
ledger names. A missing ledger is created.
`,
  examples: [
    ['icecore import bundle first-run.icecore.tar.zst', 'Into the ledger here'],
    ['icecore import bundle run.tar.zst --ledger sqlite:paper.db', 'Into another one'],
    ['icecore verify', 'Verify what was imported'],
  ],
  args: { file: argument('<file>', 'the bundle; - is standard input', path) },
  options: {
    extend: flag('--extend', 'add events to runs that are here already'),
    erase: flag('--erase', 'erase texts that the run redacted, where nothing else here names them'),
  },
  run: async (context, { file }, options) =>
    (await import('../export/bundle.ts')).importBundleFrom(context, file, options),
});

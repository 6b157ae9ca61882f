// icecore import bundle: a run that was packed elsewhere, into a ledger here.
import type { CommandModule } from '../../command.ts';

const notes = `
Everything is unpacked beside the ledger and verified first: every member against the list, every event against its digest,
chain and seal. What is not as it was made is refused and named, and nothing is written. Then events are stored with the
ids, digests and times they have, so that icecore verify proves the same; the ledger keeps its own identity, and may hold
runs of several. What is there already is not stored again, and a second import adds nothing. Where the ledger has a run of
the bundle already and the bundle has more of it, nothing is written unless --extend says so: after an import that was
stopped, or when the run was packed again later.

Nothing here is erased. Texts that the run redacted and that are here are listed; --erase erases those that nothing else in
the ledger names.

Where there is no ledger yet, one is made.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore import bundle first-run.icecore.tar.zst', 'Into the ledger here'],
    ['icecore import bundle run.tar.zst --into sqlite:paper.db', 'Into another one'],
    ['icecore verify', 'Prove what was imported'],
  ],
  declare: (command) =>
    command
      .argument('<file>', 'the bundle; - for standard input')
      .option('--into <url>', 'the ledger to import into, by its URL; the one at hand where this is missing')
      .option('--extend', 'add events also to runs that are here already')
      .option('--erase', 'erase the texts that the run redacted, where nothing else here names them'),
  run: async (context, command) => {
    const { importBundleFile } = await import('../../export/import-bundle.ts');
    return await importBundleFile(context, command.args[0] ?? '-', command.opts());
  },
};

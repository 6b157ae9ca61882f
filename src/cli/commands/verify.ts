import { path } from '../../library/plugins/values.ts';
import { argument, defineCommand, flag, option } from '../command.ts';
import { programOptions, verboseOption } from '../options.ts';
import { run } from '../values-of-ledger.ts';

export const command = defineCommand({
  config: { runWith: 'recompute' },
  notes: `
Check that no recorded event was changed, lost or reordered.

Hash the stored bytes of every event and compare them with its digest, the chain of its stream and the seals over evidence; check
the catalogue and the blobs that events name. With RUN, verify one run. The exit code is 1 if anything is wrong.

This finds damage and accidental changes. Somebody who can write the file can also forge it consistently, with new digests, chains
and seals, or cut off its end. Only a head stored elsewhere, a proof or a copy reveals that. --head compares the ledger with a file
that icecore ledger head wrote, and reports what was altered, reordered or cut off before that head. --key names the public key
that must have signed the head. A head covers the whole ledger, so it cannot be combined with RUN.

A stopped verification of the whole ledger leaves notes in LEDGER.verify.json; --resume continues from them with the same head,
and they are removed at the end. Notes that another user or program wrote or changed are refused.

--recompute computes everything that follows from earlier events again and compares: it judges every rollout by its environment,
adds up summaries and the figures of trainings, builds contexts, reads recorded answers of language models, scores proposals and
makes decisions. Nothing is trained again, so checkpoints are not checked. What else cannot be recomputed is counted, with the reason.
If the environment of a run is a program, --programs runs it in the current folder: the author of the ledger chose that program.

--tables fills all tables again in a temporary file and names each table that differs. Without it, tables that another program
changed, or that have other events than the ledger, are reported as a notice.
`,
  examples: [
    ['icecore verify', 'The whole ledger'],
    ['icecore verify --head monday.json --key head.pub', 'Against a signed head that was stored elsewhere'],
    ['icecore verify latest', 'Only the last run'],
    ['icecore verify latest --recompute', 'Also compute its results again and compare'],
  ],
  args: { run: argument('[run]', 'verify one run only: name, start of a name, identity or latest', run) },
  options: {
    head: option('--head <file>', 'output of icecore ledger head; - is standard input', path),
    key: option('--key <file>', 'public key (PEM) that must have signed the head', path),
    recompute: flag('--recompute', 'compute results again from earlier events, and compare'),
    programs: { ...programOptions.programs, describe: 'with --recompute: also run environments that are programs' },
    env: { ...programOptions.env, describe: 'with --programs: pass these environment variables to them' },
    tables: flag('--tables', 'fill the tables again and compare: each difference is a fault'),
    verbose: { ...verboseOption, describe: 'list every finding' },
    resume: flag('--resume', 'continue an interrupted verification of the whole ledger'),
  },
  run: async (context, { run }, options) => (await import('../trust/verify.ts')).verify(context, run, options),
});

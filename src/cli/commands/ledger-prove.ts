import { path, text } from '../../library/plugins/values.ts';
import { argument, defineCommand, option } from '../command.ts';

export const command = defineCommand({
  notes: `
Print a proof that one event is in the ledger. Checking it takes neither the ledger nor icecore, only SHA-256: docs/trust.md shows
how. With --head, the proof leads to that earlier head instead of the present one.
`,
  examples: [
    ['icecore ledger prove 0b7e41c2 > proof.json', 'By the start of its id'],
    ['icecore ledger prove run-mine@3 --head monday.json', 'By its place, up to a head that was stored elsewhere'],
  ],
  args: { event: argument('<event>', 'an id, the start of one, or STREAM@REVISION', text) },
  options: {
    head: option('--head <file>', 'output of icecore ledger head; - is standard input', path),
    key: option('--key <file>', 'public key (PEM) that must have signed the head', path),
  },
  run: async (context, { event }, options) => (await import('../trust/verify.ts')).prove(context, event, options),
});

import { path } from '../../library/plugins/values.ts';
import { defineCommand, option } from '../command.ts';

export const command = defineCommand({
  notes: `
Print one small JSON object: the number of events in the ledger and the root of the Merkle tree (RFC 6962) over all of them. Store
it where writers of the ledger cannot write: icecore verify --head then finds out whether anything was altered, reordered or cut
off. --sign adds an ed25519 signature, so that the head cannot be forged; an older head can still replace it. A head vouches for
the content of the ledger when it is made: if in doubt, run icecore verify first.
`,
  examples: [
    ['icecore ledger head > monday.json', 'Store the state of the ledger'],
    ['openssl genpkey -algorithm ed25519 -out head.key', 'Make a key, once'],
    ['icecore ledger head --sign head.key > monday.json', 'Sign with it'],
  ],
  options: { sign: option('--sign <file>', 'sign with this ed25519 private key (PEM)', path) },
  run: async (context, _, options) => (await import('../trust/seal.ts')).head(context, options),
});

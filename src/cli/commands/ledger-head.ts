import { path } from '../../library/plugins/values.ts';
import { defineCommand, option } from '../command.ts';

export const command = defineCommand({
  notes: `
Prints one small JSON object: the number of events in the ledger and the root of the Merkle tree (RFC 6962) over all of them. Keep it
where nobody can write who can write to the ledger: icecore verify --head then finds out whether anything was altered, reordered or
cut off. --sign adds an ed25519 signature: the head cannot be forged then, though an older one can still take its place. A head vouches
for what is there when it is made; if in doubt, run icecore verify first.
`,
  examples: [
    ['icecore ledger head > monday.json', 'Keep the state of the ledger'],
    ['openssl genpkey -algorithm ed25519 -out head.key', 'Make a key, once'],
    ['icecore ledger head --sign head.key > monday.json', 'Sign with it'],
  ],
  options: { sign: option('--sign <file>', 'sign with this ed25519 private key (PEM)', path) },
  run: async (context, _, options) => (await import('../trust/seal.ts')).head(context, options),
});

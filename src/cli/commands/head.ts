// icecore head: the state of the whole ledger in a few lines.
import type { CommandModule } from '../command.ts';

const notes = `
Prints one small JSON object: how many events the ledger holds and the root of the Merkle tree (RFC 6962) over all of
them. Keep it where whoever can write to the ledger cannot: icecore verify --head tells from it whether anything was
altered, reordered or cut off since. With --sign it bears an ed25519 signature: whoever can write
to the ledger and to the head cannot forge it then, but can still put an older one in its place. It vouches for what is there
when it is made: icecore verify first where that is in doubt.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore head > monday.json', 'Keep the state of the ledger'],
    ['openssl genpkey -algorithm ed25519 -out head.key', 'Make a key, once'],
    ['icecore head --sign head.key > monday.json', 'And sign with it'],
  ],
  declare: (command) => command.option('--sign <file>', 'sign with this ed25519 private key (PEM)'),
  run: async (context, command) => {
    const { head } = await import('../trust/head.ts');
    return await head(context, command.opts());
  },
};

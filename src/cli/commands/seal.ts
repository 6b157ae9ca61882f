// icecore seal: vouch for the evidence of a stage.
import type { CommandModule } from '../command.ts';

const notes = `
Records an EvidenceSealed event in the run's stream: which attempts count, how many events of each, and the root of the
Merkle tree over them. From then on icecore verify names an attempt whose evidence is not what was sealed, as long as the
seal itself stands: whoever can write the file can rewrite the seal as well, and only a head kept elsewhere (icecore head)
tells of that. Of several attempts at one shard the last one counts, unless --attempt chooses another.

A run that icecore itself makes seals its stages by itself.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore seal latest@2', 'Stage 2 of the last run'],
    ['icecore seal mine@1 --attempt 0:3', 'Of shard 0, attempt 3 counts'],
  ],
  declare: (command) =>
    command
      .argument('<stage>', 'RUN@STAGE')
      .option('--attempt <shard:attempt...>', 'the attempt that counts for a shard')
      .option('--actor <who>', 'who does it, as kind/identity; you, where it is missing'),
  run: async (context, command) => {
    const { seal } = await import('../trust/seal.ts');
    return await seal(context, command.args[0] ?? '', command.opts());
  },
};

import { badOption } from '../../library/option-error.ts';
import { argument, defineCommand, option } from '../command.ts';
import { actorOption } from '../options.ts';
import { stage } from '../values-of-ledger.ts';

export const command = defineCommand({
  config: 'run',
  notes: `
Record an EvidenceSealed event in the stream of the run: which attempts count, how many events each has, and the root of the
Merkle tree over them. From then on, icecore verify names an attempt whose evidence differs from what was sealed. A writer of the
ledger can also rewrite the seal: only a head stored elsewhere (icecore ledger head) shows that. Of several attempts at a shard
the last one counts, unless --attempt chooses another.

Runs of icecore itself seal their stages without this command.
`,
  examples: [
    ['icecore ledger seal latest@2', 'Stage 2 of the last run'],
    ['icecore ledger seal mine@1 --attempt 0:3', 'Attempt 3 counts for shard 0'],
  ],
  args: { stage: argument('<stage>', 'RUN@K', stage) },
  options: {
    attempt: option('--attempt <shard:attempt...>', 'the attempt that counts for a shard', {
      parse: (typed, field) => {
        const [, shard, attempt] = /^(0|[1-9][0-9]{0,8}):(0|[1-9][0-9]{0,8})$/.exec(typed) ?? [];
        if (shard !== undefined) return { shard: Number(shard), attempt: Number(attempt) };
        throw badOption(field, typed, 'SHARD:ATTEMPT', { remedy: 'For example 0:3: attempt 3 counts for shard 0.' });
      },
    }),
    actor: actorOption,
  },
  run: async (context, { stage }, options) => (await import('../trust/seal.ts')).seal(context, stage, options),
});

// icecore work: a worker of a run.
import type { CommandModule } from '../command.ts';
import { withProgramOptions } from '../program-options.ts';

const notes = `
Where a run was begun with --shards, its rollouts are done in parts by whoever comes: the process that conducts it, and any
number of workers, on this machine or on others that reach its ledger and its blobs. A worker takes a part that nobody has,
does it, and takes the next, until the run is completed. It needs neither the trainer nor the engineer of the run.

A part is held as long as its worker is heard of. One that dies or stalls loses it to another after --lease, and its evidence
counts only if it was completed first: of every part, exactly one worker's.

Where the policy is a model, it is asked as the run recorded it, or as icecore.config.json here says of it; its key is in the
environment variable that is named there. See docs/workers.md.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore work wide', 'Do rollouts of the run called wide until it is completed'],
    ['icecore work wide --wait --quiet', 'The same, also where it is yet to begin: for a job that starts with it'],
    ['icecore work --lease 10s', 'Of the last run; a worker that dies is replaced after ten seconds'],
    ['ICECORE_BLOBS=s3://lab/blobs icecore work wide --ledger esdb://server:2113/lab', 'On another machine'],
  ],
  declare: (command) =>
    withProgramOptions(
      command
        .argument('[run]', 'the run: its name, the beginning of one, its identity, or latest', 'latest')
        .option('--wait', 'where there is no such run yet, wait until it begins')
        .option('--lease <time>', 'how long a part is held when nothing is heard of this worker (default: 60s)')
        .option('--jobs <n>', 'threads (default: as many as there are cores)')
        .option('--spending-cap <amount>', 'what all models together may cost'),
    ),
  run: async (context, command) => {
    const { work } = await import('../experiment/work.ts');
    return await work(context, command.processedArgs[0] as string, command.opts());
  },
};

import { defineCommand, flag } from '../command.ts';
import { jobsOption, leaseOption, programOptions, runArgument, spendingCapOption } from '../options.ts';

export const command = defineCommand({
  config: 'run',
  notes: `
Do rollouts of a run that was started with --shards, which splits its rollouts into shards. The process of the run and any number
of workers share them, on this machine or on others that reach the same ledger and blobs. A worker takes a free shard, completes
it and takes the next, until the run is completed. It needs neither the trainer nor the engineer of the run.

A worker renews its lease on a shard while it works. If the lease times out (--lease), another worker takes the shard over, and
the evidence of exactly one of them counts.

Models are called as the run recorded them, or as icecore.config.json here describes them, with the key from the environment
variable that it names. More: docs/servers.md.
`,
  examples: [
    ['icecore worker wide', 'Do rollouts of the run "wide" until it is completed'],
    ['icecore worker wide --wait --quiet', 'In a job that may start before the run does'],
    ['icecore worker --lease 10s', 'Work on the last run, and take over a shard after ten seconds of silence'],
    ['ICECORE_BLOBS=s3://lab/blobs icecore worker wide --ledger esdb://server:2113/lab', 'On another machine'],
  ],
  args: { run: runArgument },
  options: {
    wait: flag('--wait', 'wait until the run starts'),
    leaseSeconds: leaseOption,
    jobs: jobsOption,
    spendingCap: spendingCapOption,
    ...programOptions,
  },
  run: async (context, { run }, options) => (await import('../experiment/worker.ts')).work(context, run, options),
});

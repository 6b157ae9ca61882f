import { integer, text } from '../../library/plugins/values.ts';
import { defineCommand, flag, option } from '../command.ts';
import { trainer } from '../lab-values.ts';
import { jobsOption, leaseOption, programOptions, settingsOptions, spendingCapOption } from '../options.ts';

export const command = defineCommand({
  config: 'run',
  notes: `
Run an experiment in stages. Each stage trains the policy on its configuration, measures the policy on validation tasks and
benchmarks, and lets it try a pool of probe tasks. Between stages, the engineer is shown a context built from this evidence and
proposes the next configuration. The benchmarks and half of the probe tasks stay hidden from it. Every step is recorded in the ledger.

An engineer is one that icecore list engineers shows (built-in, of a plugin, or a model of the settings), checkpoint@K (the
checkpoint after stage K), or a program with its arguments in quotes. A context is a form that icecore list contexts shows, or
modules joined by +. For --config, icecore list environments --json has the default configuration of each environment.

If the engineer's program or endpoint fails, the run stops and can be resumed. --on-error retry asks a few more times first.
--on-error keep records the decision as errored, keeps the configuration and continues.

A spending cap applies to one command; icecore resume counts from zero again.

A setting comes from an option, else from the run file, else from "defaults" in icecore.config.json or icecore.config.ts; the defaults
of the options come last.

After Ctrl-C or a crash, icecore resume continues from the last recorded step and reaches the same result. A run file is JSON with
the same settings, and a few more; docs/runs.md lists their names.
`,
  examples: [
    ['icecore run', 'Five stages on the lake, redesigned by the policy itself, in a minute or two'],
    ['icecore run --engineer rules --stages 3 --budget 200k', 'A shorter run with rules as the engineer'],
    ['icecore run --engineer gpt --context v4 --spending-cap 2', 'A model as the engineer, for at most 2 dollars'],
    ['icecore run --engineer "python3 easier.py" --seed 7', 'A program as the engineer'],
    ['icecore run --file experiment.json --tag ablation', 'Settings from a file'],
    ['icecore run --shards 8 --name big', 'Let other machines do rollouts, too: on each, start icecore worker big'],
  ],
  headings: {
    'The experiment': [
      ...['environment', 'configuration', 'stages', 'engineer', 'context', 'policy', 'trainer', 'budget', 'seed'],
      ...['file', 'name', 'tags', 'notes'],
    ],
    'What is measured and recorded': ['suites', 'validation', 'perCell', 'record'],
    'How it runs': [...['jobs', 'shards', 'workersOnly', 'leaseSeconds', 'onError', 'spendingCap', 'programs', 'env']],
  },
  options: {
    ...settingsOptions,
    trainer: option('--trainer <which>', 'grpo, a trainer of a plugin, or a program', trainer, {
      otherwise: 'that of the environment, grpo on the lake',
    }),
    shards: option(
      '--shards <n>',
      'number of parts that the rollouts of a stage are split into, for workers',
      integer(1, 1000),
      { otherwise: '1' },
    ),
    workersOnly: flag('--workers-only', 'leave all rollouts to workers'),
    leaseSeconds: leaseOption,
    name: option('--name <name>', 'name of the run', text, { otherwise: 'two words' }),
    jobs: jobsOption,
    spendingCap: spendingCapOption,
    ...programOptions,
  },
  run: async (context, _, options) => (await import('../experiment/run.ts')).run(context, options),
});

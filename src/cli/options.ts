// Options that several commands share.

import { argument, flag, option } from '../library/plugins/command.ts';
import { budget, choice, duration, integer, jobs, money, path, tag, text } from '../library/plugins/values.ts';
import * as lab from './lab-values.ts';
import { run } from './values-of-ledger.ts';

/** The options of every command that may start programs. */
export const programOptions = {
  programs: flag(
    '--programs',
    'run programs that the ledger names, and do not ask first: they can do whatever you can',
  ),
  env: option('--env <names>', 'pass these environment variables to programs: WANDB_API_KEY,HF_HOME', text, {
    again: true,
  }),
};

export const jobsOption = option('--jobs <n>', 'number of threads', jobs, { otherwise: 'one per core' });

export const spendingCapOption = option('--spending-cap <amount>', 'stop when model calls cost more in total', money);

export const actorOption = option('--actor <who>', 'author, as kind/identity: human/ada', text, { otherwise: 'you' });

export const onErrorOption = option('--on-error <action>', 'if an engineer fails: stop, retry or keep', lab.onError);

export const leaseOption = option(
  '--lease <time>',
  'lease timeout, after which another worker takes over a shard',
  duration,
  {
    otherwise: '60s',
  },
);

const engineerOption = option('--engineer <who>', 'who redesigns the environment: a name or a program', lab.engineer, {
  otherwise: 'checkpoint',
});

const contextOption = option('--context <form>', 'what the engineer is shown; + joins modules', lab.context, {
  otherwise: 'combined',
});

export const tagOption = option('--tag <tag...>', 'tags', tag);

const notesOption = option('--notes <text>', 'what the run is for', text);

/** The settings of an experiment, for `run` and `stage start`. */
export const settingsOptions = {
  stages: option('--stages <n>', 'number of stages', integer(1, lab.stages), { otherwise: '5' }),
  engineer: engineerOption,
  context: contextOption,
  environment: option('--environment <which>', 'one of icecore list environments, or a program', lab.environment, {
    otherwise: 'lake',
  }),
  configuration: option('--config <file>', 'JSON file with the configuration of the first stage', lab.configuration, {
    otherwise: 'that of the environment',
  }),
  seed: option('--seed <n>', 'random seed', lab.seed, { otherwise: '1' }),
  policy: option(
    '--policy <who>',
    'policy to train: neural (from random weights), base (already trained a little), a checkpoint or a model; any name for a policy of your own',
    text,
    {
      otherwise: 'neural on the lake, "policy" in your own environment',
    },
  ),
  budget: option('--budget <amount>', 'agent steps per stage, as 400k, or amounts by unit: updates=50', budget, {
    otherwise: '600k on the lake; icecore list environments shows that of others',
  }),
  suites: option('--suite <name...>', 'benchmarks measured after every stage, or none', lab.suites, {
    otherwise: 'the first three of the environment',
  }),
  validation: option('--validation-tasks <n>', 'number of validation tasks', integer(1), { otherwise: '400' }),
  perCell: option(
    '--probe-tasks <n>',
    'probe tasks of each kind that engineers can see, and as many hidden ones; the lake has 63 kinds: sizes, rates of holes, with or without waiting',
    integer(1),
    {
      otherwise: '2',
    },
  ),
  record: option(
    '--record <which>',
    'rollouts to record: all, evaluation (none of training) or sample (some of training, none of evaluations)',
    choice(['all', 'evaluation', 'sample']),
    { otherwise: 'all' },
  ),
  onError: onErrorOption,
  tags: tagOption,
  notes: notesOption,
  file: option('--file <file>', 'run file: the same settings as JSON', path),
};

export const verboseOption = flag('--verbose', 'show everything, not only the answer');

/** What to say to whoever looks for JSON among the formats. */
export const jsonElsewhere = 'For programs: --json.';

export const formatOption = option('--format <format>', 'text or md', choice(['text', 'md'], jsonElsewhere), {
  otherwise: 'text',
});

export const runArgument = argument('[run]', 'name, start of a name, identity or latest', run, { default: 'latest' });

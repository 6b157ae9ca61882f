// The options of the lake's commands.
import { argument, flag, option, type ValuesOf, values } from '../../src/library/plugins/index.ts';

const { budget, choice, completed, filledText, integer, listOf, money, path, text } = values;

const splits = ['train', 'validation', 'probe', 'probe-holdout', 'test'] as const;

const suite = completed(text, async () => {
  const { suites } = await import('../lake/generator/suites.ts');
  return suites.map(({ name }) => ({ value: name, about: '' }));
});

const seed = option('--seed <text>', 'random seed: any text', filledText, { otherwise: 'icecore' });
const config = option('--config <file>', 'the configuration, as JSON', path);
const agents = option('--agents <n>', 'number of agents, whatever the configuration says', integer(1, 26));
export const jobs = option('--jobs <n>', 'number of threads', values.jobs, { otherwise: 'one per core' });
export const effort = option('--effort <steps>', 'maximum search steps per line', integer(1), {
  otherwise: '20_000_000',
});
export const file = argument('[file]', 'file to read; - is standard input', path, { default: '-' });

/** For evaluating one policy and for comparing several. */
const evaluating = {
  suite: option(
    '--suite <name>',
    'a benchmark suite, or a smaller edition: agents-2-wait-50-of-10; repeatable',
    suite,
    {
      again: true,
    },
  ),
  config: { ...config, describe: 'fresh lakes from this configuration, as JSON' },
  agents: { ...agents, describe: 'fresh lakes with this number of agents' },
  count: option('--count <n>', 'number of fresh lakes', integer(0, 100_000_000), { otherwise: '100' }),
  split: option('--split <split>', 'split that fresh lakes belong to', choice(splits), { otherwise: 'validation' }),
  lakes: option('--lakes <file>', 'your own lakes, one per line; - is standard input', path),
  samples: option('--samples <n>', 'attempts per lake', integer(1, 10_000), { default: '1' }),
  sampled: flag('--sampled', 'sample answers instead of taking the most likely one'),
  seed: { ...seed, describe: 'random seed of samples and fresh lakes: any text' },
  spendingCap: option('--spending-cap <amount>', 'stop when all model calls together cost more', money),
  jobs,
};

export const generating = {
  config,
  agents,
  count: option('--count <n>', 'number of lakes; with --probe, of each kind', integer(0, 100_000_000), {
    otherwise: '100; 4 with --probe',
  }),
  seed,
  split: option('--split <split>', 'split to generate for', choice(splits), { otherwise: 'train' }),
  probe: flag('--probe', 'generate every kind: each size, with few and many holes, with and without a wait'),
  suite: option('--suite <name>', 'generate a benchmark suite', suite),
  suites: flag('--suites', 'list the suites'),
  report: option('--report <file>', 'report what could not be generated in a file', path),
  jobs,
};

/** How to read a drawing in letters and the plan below it. */
export const drawingLegend =
  'a: an agent, A: its goal, ░: a hole, a digit: steps waited, ╳: a failure (arrows in the frame: its row and column). Each row has two lines. ' +
  'Moves: U up, D down, L left, R right, W wait; [ ]: the move that fails.';

export const showing = {
  plan: option('--plan <moves>', 'draw this plan: the moves of each agent, separated by commas', text),
  solve: flag('--solve', 'draw an optimal plan'),
  frames: flag('--frames', 'draw every step'),
  animate: flag('--animate', 'write a drawing in which the agents move; with --output'),
  output: option('--output <file>', 'write the drawing of one lake to an SVG file', path),
  ascii: flag('--ascii', 'draw in letters that lake show can read'),
};

export const training = {
  config,
  agents,
  budget: option('--budget <amount>', 'agent steps, as 400k', budget, { default: '1_200_000' }),
  seed,
  from: option(
    '--from <start>',
    'a checkpoint, the folder of a training, or base: a checkpoint with little training',
    path,
  ),
  output: option('--output <folder>', 'where to train', path, { otherwise: 'a folder named after the settings' }),
  jobs,
};

export const evaluatingOne = {
  ...evaluating,
  rollouts: option('--rollouts <file>', 'write every rollout to a file, for icecore lake show and judge', path),
};

export const comparing = {
  ...evaluating,
  baseline: option('--baseline <policy>', 'the policy that others are compared with', text, {
    otherwise: 'the best',
  }),
  format: option('--format <format>', 'text or md', choice(['text', 'md']), { otherwise: 'text' }),
};

export const measuring = {
  sizes: option('--sizes <list>', 'sizes of lakes', listOf(integer(3, 32)), { default: '8,10' }),
  agents: option('--agents <list>', 'numbers of agents', listOf(integer(1, 26)), { default: '2,3,4,5' }),
  count: option('--count <n>', 'lakes of each shape', integer(1, 1_000_000), { default: '2000' }),
  seed: option('--seed <text>', 'random seed: any text', filledText, { default: 'icecore' }),
};

export type GenerateOptions = ValuesOf<typeof generating>;
export type ShowOptions = ValuesOf<typeof showing>;
export type TrainOptions = ValuesOf<typeof training>;
export type EvaluatingOptions = ValuesOf<typeof evaluating>;
export type EvaluateOptions = ValuesOf<typeof evaluatingOne>;
export type LeaderboardOptions = ValuesOf<typeof comparing>;
export type BenchOptions = ValuesOf<typeof measuring>;

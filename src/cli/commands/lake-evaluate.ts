import { path } from '../../library/plugins/values.ts';
import { argument, defineCommand, option } from '../command.ts';
import { evaluatingOptions } from '../lake-options.ts';

export const command = defineCommand({
  notes: `
POLICY is random, greedy or optimal; a checkpoint: a .safetensors file, or the folder of a training, which means its newest one; or a
model of icecore.config.json, as NAME or NAME:CHECKPOINT.

Without --suite, the policy is evaluated on all benchmark suites, which are the same for everybody (icecore lake generate --suites
lists them). With --config, --agents, --count or --split it is evaluated on fresh lakes, with --lakes on your own. The same policy,
lakes, options and seed give the same results with any number of jobs.

Shares have Wilson intervals over all lakes. A failing endpoint is no evidence for or against a policy: such rollouts are counted
apart and not in the results.

Answers of models are recorded in the ledger before they are judged. Stopped at any time, the same command continues and repeats no
question that was answered.
`,
  examples: [
    ['icecore lake evaluate runs/first', 'The newest checkpoint of a training, on all suites'],
    ['icecore lake evaluate greedy --suite agents-2-wait-50-of-10', 'On a small edition of one suite'],
    [
      'icecore lake evaluate gpt --suite agents-2-wait-50-of-10 --spending-cap 2 --rollouts gpt.ndjson',
      'A model, for at most two dollars, with every rollout',
    ],
    [
      'icecore lake evaluate runs/first --agents 2 --count 500 --sampled --samples 8',
      'Fresh lakes, with eight sampled answers each',
    ],
  ],
  args: { policy: argument('<policy>', 'a rule, a checkpoint or a model', path) },
  options: {
    ...evaluatingOptions,
    rollouts: option('--rollouts <file>', 'write every rollout to a file, for icecore lake show and judge', path),
  },
  run: async (context, { policy }, options) => (await import('../lake/evaluate.ts')).evaluate(context, policy, options),
});

// icecore lake evaluate: how good a policy is.
import type { CommandModule } from '../../command.ts';
import { evaluatingOptions } from './evaluating-options.ts';

const notes = `
POLICY is random, greedy or optimal; a checkpoint, as a .safetensors file or the folder of a training, of which the newest
counts; or a model of icecore.config.json, as NAME or NAME:CHECKPOINT.

Without --suite it is evaluated on all benchmark suites, which are the same for everybody (icecore lake generate
--suites lists them). With --config, --agents, --count or --split it is evaluated on fresh lakes of that pool, with --lakes
on lakes of your own. The same policy, lakes, options and seed give the same results with any number of jobs.

Shares come with their Wilson intervals, over all lakes together. An endpoint that fails is no evidence for or against a
policy: such rollouts are told apart and count for nothing.

Answers of models are recorded in the ledger before they are judged. Stopped at any moment, the same command goes on where
it was: what was answered is not asked again.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore lake evaluate runs/first', 'The newest checkpoint of a training, on all suites'],
    ['icecore lake evaluate greedy --suite agents-2-wait-50-of-10', 'On a small edition of one suite'],
    [
      'icecore lake evaluate gpt --suite agents-2-wait-50-of-10 --spending-cap 2 --rollouts gpt.ndjson',
      'A model, for two dollars at most, with every rollout',
    ],
    [
      'icecore lake evaluate runs/first --agents 2 --count 500 --sampled --samples 8',
      'Fresh lakes, eight answers drawn for each',
    ],
  ],
  declare: (command) =>
    evaluatingOptions(command.argument('<policy>', 'a rule, a checkpoint or a model')).option(
      '--rollouts <file>',
      'write every rollout here, a line each, for icecore lake show and judge',
    ),
  run: async (context, command) => {
    const { evaluate } = await import('../../lake/evaluate.ts');
    return await evaluate(context, command.args[0] ?? '', command.opts());
  },
};

// icecore run: an experiment from its beginning to its end.
import type { CommandModule } from '../command.ts';
import { withProgramOptions } from '../program-options.ts';

const notes = `
In each stage the policy is trained on the stage's configuration, measured on validation and on benchmarks, and tries a
pool of tasks of every kind; what it does there is evidence. Between two stages the engineer is shown a context made of
that evidence and proposes the next configuration. All of it is recorded in the ledger, step by step.

An engineer is fixed, uniform, random, static-small, schedule, rules, base, checkpoint, checkpoint@STAGE, human, a model
of icecore.config.json, or a program. A context is v1 to v6, abstract, or modules: objective, guideline, training, stats,
behaviour, failures, history, self-summary. What is a program is written with its arguments, in quotes.

An engineer whose program or endpoint fails has decided nothing: the run stops there and can be resumed. With --on-error
retry it is asked again a few times first; with keep the decision is recorded as errored, the configuration stays, and the
run goes on.

A spending cap is for the command that it stands in: with each --resume it begins anew, whatever was spent before.

Stopped by Ctrl-C or by anything else, icecore run --resume goes on from the last that was recorded, and comes to the same
end. A run file (JSON) has the same settings under the same names, and some more; see docs/runs.md.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore run', 'Five stages on the lake, redesigned by the policy itself: a minute or two'],
    ['icecore run --engineer rules --stages 3 --budget 200_000', 'A rule as engineer, and less of it'],
    ['icecore run --engineer gpt --context v4 --spending-cap 2', 'A model as engineer, which may cost 2 dollars'],
    ['icecore run --engineer "python3 easier.py" --seed 7', 'A program as engineer'],
    ['icecore run --file experiment.json --tag ablation', 'What to do from a file'],
    ['icecore run --shards 8 --name wide', 'With icecore work wide on other machines, many do its rollouts'],
    ['icecore run --resume', 'Go on with the last run'],
  ],
  declare: (command) =>
    withProgramOptions(
      command
        .option('--stages <n>', 'how many stages (default: 5)')
        .option('--engineer <who>', 'who redesigns the environment (default: checkpoint)')
        .option('--context <form>', 'what the engineer is shown (default: abstract)')
        .option('--environment <which>', 'lake, or a program (default: lake)')
        .option(
          '--config <file>',
          'the configuration of the first stage, as JSON (default: what the environment starts with)',
        )
        .option('--seed <n>', 'where chance comes from (default: 1)')
        .option('--policy <who>', 'who is trained: neural, base, a checkpoint, a model (default: neural)')
        .option('--trainer <which>', 'grpo, or a program (default: grpo)')
        .option('--budget <n>', 'agent steps in a stage, or amounts by unit: updates=50 (default: 600_000)')
        .option('--suite <name...>', 'benchmarks measured after every stage, or none (default: the first three)')
        .option('--shards <n>', 'parts to split the rollouts of a stage into, for icecore work (default: 1)')
        .option('--on-error <what>', 'when the engineer cannot answer: stop, retry or keep (default: stop)')
        .option('--record <what>', 'rollouts to record: all, evaluation (not training) or sample (default: all)')
        .option('--workers-only', 'leave all shards to workers')
        .option('--lease <time>', 'how long claims hold when nothing is heard of this process (default: 60s)')
        .option('--name <name>', 'what to call the run (default: two words)')
        .option('--tag <tag...>', 'words to find it by')
        .option('--notes <text>', 'what the run is for')
        .option('--file <file>', 'a run file: the same settings as JSON')
        .option('--resume [run]', 'go on with a run (default: the last one)')
        .option('--jobs <n>', 'threads (default: as many as there are cores)')
        .option('--spending-cap <amount>', 'what all models together may cost'),
    ),
  run: async (context, command) => {
    const { run } = await import('../experiment/run.ts');
    return await run(context, command.opts());
  },
};

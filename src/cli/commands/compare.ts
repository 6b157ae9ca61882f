// icecore compare: runs side by side.
import type { CommandModule } from '../command.ts';

const notes = `
RUN is a name, an identity, the beginning of either, or latest; RUN@STAGE is the run up to that stage. Without a stage, runs are
told of as of the last stage that all of them have finished. Shows what was set otherwise, how good each run got on validation and
in how many stages, and what it took; then how much better each is than the first one, or than --against RUN.

Pairs are the same tasks, where rollouts of the suite are recorded one by one (--suite probe), else the same families of the same
suite. Where runs differ by their seeds alone, or by no setting named by --by, they are an arm, and pairs are runs of one seed;
within each seed, their checkpoints are compared task by task beside that.
p is corrected for the number of comparisons. What is inconclusive is not shown to be equal: only a --margin can show that.

Runs on other tasks or another environment, or with another budget, policy or trainer, are not compared, nor are runs in which an
engineer could not answer; it says why, and what to type instead.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore compare by-rule by-gpt', 'Two runs'],
    ['icecore compare --tag paper', 'All runs with a tag, seed by seed where they have seeds in common'],
    ['icecore compare --tag study --by engineer --against fixed-1', 'Engineers, whatever else their runs were set to'],
    ['icecore compare mine@1 mine@4 --suite probe', 'Two stages, task by task'],
    ['icecore compare --tag paper --margin 0.02 --md > table.md', 'Which are equivalent within two points, for a page'],
  ],
  declare: (command) =>
    command
      .argument('[run...]', 'RUN or RUN@STAGE, two or more')
      .option('--tag <tag>', 'all runs with this tag')
      .option('--against <run>', 'what the others are held against; the first one, where it is missing')
      .option('--suite <name>', 'compare by this suite, or by the probe pool: probe')
      .option('--measure <name>', 'compare by this share: valid, optimal')
      .option('--by <settings>', 'arms are told apart by these settings: engineer,context')
      .option('--margin <share>', 'differences below it count as none: 0.02')
      .option(
        '--despite <what>',
        'compare although these differ: environment, budget, policy, trainer, or runs are errored',
      )
      .option('--all', 'with settings that are the same, and what is left out while a person decides')
      .option('--md', 'print Markdown'),
  run: async (context, command) => {
    const { compare } = await import('../compare/compare.ts');
    return await compare(context, command.args, command.opts());
  },
};

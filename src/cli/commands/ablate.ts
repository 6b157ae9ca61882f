// icecore ablate: the same history, decided upon with other contexts and by other engineers.
import { Option } from 'commander';
import type { CommandModule } from '../command.ts';
import { withProgramOptions } from '../program-options.ts';

const notes = `
Replays the history of runs: after each stage engineers decide anew, shown what a form of the context has, built from the
history alone. An arm is an engineer with a form (rules/failures); beside them are the baselines fixed, uniform, random,
static-small, schedule and what was really decided (actual), or those that --baselines names. An engineer that looks at
nothing is one arm, not one a form.

--depth propose asks for proposals and scores them. train also trains every arm one stage on what it proposed, from the very
checkpoint, with the budget and the seed of the history, and evaluates it on the same tasks; before, what the history trained
is trained again and has to come out the same. run lets every arm go on to the last stage, as a run of its own.

An arm whose engineer cannot answer, for its program or its endpoint fails, is errored: it enters no mean and no contrast. The
others go on, the command exits 1, and typed again it tries the errored arms, and nothing else.

The training seed is the unit: several come from several runs (--runs, --tag) or from --seeds; --plan says which differences
they can find. --contrast declares what is compared: two arms (rules/failures:rules/stats), two engineers or two contexts
over the matrix (base:rules, failures:stats), or all main effects of a factor (engineer, context). Several are corrected for
each other (Holm), and so is what is not declared. Arms are compared on validation, and test is reported, unless --measure
says otherwise. Arms are equivalent only by a test with a stated --margin. What was asked of a model once is never asked again, and the same command goes on where it was stopped, or tells
again what is done: give another --name to do it anew. RUN@2 means the decision after stage 2. More: docs/ablation.md.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore ablate', 'The last run: its engineer, shown failures, stats, behaviour and all three'],
    [
      'icecore ablate mine --contexts v1..v6 --engineers rules,checkpoint --plan',
      'What that would do, and nothing else',
    ],
    [
      'icecore ablate --tag study --contexts failures,stats --depth train --contrast failures:stats',
      'Paired over the runs of a tag',
    ],
    ['icecore ablate mine@2 --sensitivity', 'What one decision hangs on'],
    ['icecore ablate mine --factorial failures,stats,behaviour', 'What each module is worth over all others'],
    ['icecore ablate mine --engineers "python3 engineer.py",gpt --spend-cap 2', 'A program and a model decide'],
    ['icecore ablate --show latest --html ablation.html', 'What was done before, as a page'],
  ],
  declare: (command) =>
    withProgramOptions(
      command
        .argument('[run]', 'RUN or RUN@STAGE; the last run, where it is missing')
        .option('--runs <runs>', 'several histories: a,b,c')
        .option('--tag <tag>', 'all runs with this tag')
        .option('--contexts <forms>', 'forms: failures,stats,failures+stats,abstract,v1..v6')
        .addOption(
          new Option('--engineers <list>', 'who decides: rules,base,checkpoint@1,gpt,"python3 engineer.py"').argParser(
            (text: string, before: readonly string[] | undefined) => [...(before ?? []), text],
          ),
        )
        .option('--stages <stages>', 'all, or stages: 2,3 (default: all that were decided after)')
        .option('--seeds <seeds>', 'training seeds: 1,2,3 or 1..10 (default: that of each run)')
        .option('--depth <depth>', 'propose, train or run (default: propose; with --preset paper, train)')
        .option('--leave-one-out', 'the form whole, and less each of its modules')
        .option('--factorial <modules>', 'the form with every choice of these modules')
        .option('--sensitivity', 'of one decision: less each module, and less each rollout that was shown')
        .option('--preset <name>', 'paper: the two analyses of the research')
        .addOption(
          new Option('--contrast <list>', 'declare contrasts: rules/failures:rules/stats,engineer,context').argParser(
            (text: string, before: readonly string[] | undefined) => [...(before ?? []), text],
          ),
        )
        .option('--baselines <list>', 'none, or some of fixed,uniform,random,static-small,schedule,actual')
        .option('--measure <name>', 'compare by: validation (default), valid (on test), citation, preservation, ...')
        .option('--level <share>', 'the confidence of intervals', '0.95')
        .option('--margin <share>', 'differences below it count as none: 0.02')
        .option('--budget <amount>', 'of one training; that of the history, where it is missing')
        .option('--spend-cap <amount>', 'what all models together may cost; reached, the same command goes on')
        .option('--jobs <n>', 'how many arms work at a time; as many as there are cores, where it is missing')
        .option('--on-error <what>', 'when an arm has an error: stop all, retry first, or keep: end without it, exit 0')
        .option('--name <name>', 'what to call it; another name does the same anew')
        .option('--notes <text>', 'what it is for')
        .option('--plan', 'show the arms, the trainings, time, cost and which differences the seeds can find, and stop')
        .option('--show <ablation>', 'tell of one that was done: its name, identity, or latest')
        .option('--md', 'print Markdown')
        .option('--html [file]', 'write a page (default: ablation.html)'),
    ),
  run: async (context, command) => {
    const { ablate } = await import('../ablate/ablate.ts');
    return await ablate(context, command.args[0], command.opts());
  },
};

import {
  budget,
  choice,
  choiceFrom,
  integer,
  listOf,
  orWord,
  path,
  share,
  tag,
  text,
} from '../../library/plugins/values.ts';
import { argument, defineCommand, flag, option } from '../command.ts';
import { contexts, engineers, modules, seeds, stages } from '../lab-values.ts';
import {
  jobsOption,
  jsonElsewhere,
  onErrorOption,
  programOptions,
  spendingCapOption,
  verboseOption,
} from '../options.ts';
import { ablation, runOrStage } from '../values-of-ledger.ts';

const baselines = choiceFrom(async () => (await import('../../library/ablation/query.ts')).allBaselines);

export const command = defineCommand({
  config: 'run',
  notes: `
Make the decisions of runs again, with other engineers or with other contexts, and compare the results. A context is what an
engineer is shown of the history before the decision. Its form says which modules it has: failures, failures+stats, or a named
form (v1 to v6, combined); icecore list contexts shows all. An arm is an engineer with a form, such as rules/failures. Baselines are
arms too: the engineers that read no context, and the decision that was really made (actual); --baselines chooses among them. An
engineer that reads no context makes one arm, however many forms are named.

--depth propose asks for proposals and scores them. train also trains every arm for one stage on its proposal, from the recorded
checkpoint with the recorded budget and seed, and evaluates it on the same tasks; first it repeats the recorded training, which
must give the recorded checkpoint. run lets every arm continue to the last stage as a run of its own.

An arm whose engineer fails is errored and enters no mean and no contrast. The other arms continue and the exit code is 1. The
same command repeated tries only the errored arms again.

The training seed is the unit of analysis. Seeds come from several runs (or --tag) or from --seed; --plan shows which differences
they can detect.
--contrast declares comparisons: two arms (rules/failures:rules/stats), two engineers or two contexts (rules:checkpoint,
failures:stats), or all main effects of a factor (engineer, context). p is corrected for the number of tests (Holm), separately
for declared contrasts, for other main effects and for all other contrasts. Arms are compared by their success rates on the
validation tasks. Results on the benchmarks are not tested unless --measure names them. Only --margin makes it possible to show that
arms are equivalent.

Proposals can be judged without training: by citation (how much of the cited evidence is about the changed family), preservation
(the share of working families that the decision left as they were), usable (the share of proposals that could be used unchanged),
brier and rank-correlation (how well the success rates that it predicts match the results). The answer explains its measure.

A model is asked each question once. The same command continues where it was stopped, or shows the result again; another --name
starts over. More: docs/ablation.md.

RUN@2 is the decision that configured stage 2, made from stage 1 alone: arms see what was recorded by then. RUN@next is the
decision that comes next; it can only be proposed.
`,
  examples: [
    ['icecore ablate', 'The engineer of the last run, shown failures, stats, behaviour and all three'],
    ['icecore ablate mine --context v1-v6 --engineer rules,checkpoint --plan', 'Show what this would do, and stop'],
    [
      'icecore ablate --tag study --context failures,stats --depth train --contrast failures:stats',
      'Paired over the runs of a tag',
    ],
    ['icecore ablate mine@2 --sensitivity', 'Which parts of the context one decision depends on'],
    ['icecore ablate mine --factorial failures,stats,behaviour', 'The effect of each module, averaged over the others'],
    ['icecore ablate mine --engineer "python3 engineer.py",gpt --spending-cap 2', 'A program and a model as engineers'],
    ['icecore ablate --show latest --output ablation.html', 'A finished ablation as a page'],
  ],
  headings: {
    'What is compared': [
      ...['tag', 'decisions', 'engineers', 'contexts', 'leaveOneOut', 'factorial', 'sensitivity', 'preset'],
      ...['baselines', 'contrasts'],
    ],
    'How it is measured': ['depth', 'seeds', 'budget', 'measure', 'level', 'margin'],
    'How it runs': ['name', 'notes', 'jobs', 'onError', 'spendingCap', 'programs', 'env'],
    'What is shown': ['plan', 'show', 'verbose', 'format', 'output'],
  },
  args: {
    runs: argument(
      '[run...]',
      'RUN for all its decisions, RUN@2 for one; several runs are several histories',
      runOrStage,
    ),
  },
  options: {
    tag: option('--tag <tag>', 'all runs with this tag', tag),
    contexts: option('--context <forms>', 'forms of the context: failures,failures+stats or v1-v6', contexts),
    engineers: option('--engineer <list>', 'engineers: rules,base,checkpoint@1,gpt,"python3 engineer.py"', engineers, {
      again: true,
    }),
    decisions: option(
      '--decisions <stages>',
      'replay only these decisions, by the stage they configure: 2,3',
      orWord(listOf(integer(2, stages)), 'all'),
      {
        otherwise: 'all',
      },
    ),
    seeds: option('--seed <seeds>', 'training seeds: 1,4,9 or 1-10', seeds, { otherwise: 'that of each run' }),
    depth: option('--depth <depth>', 'propose, train or run', choice(['propose', 'train', 'run']), {
      otherwise: 'propose; train with --preset paper',
    }),
    leaveOneOut: flag('--leave-one-out', 'compare a form with the same form less one module, for each of its modules'),
    factorial: option(
      '--factorial <modules>',
      'compare every combination of these modules; the other modules of the run are part of every arm',
      listOf(modules),
    ),
    sensitivity: flag('--sensitivity', 'for one decision: leave each module and each shown rollout out of the context'),
    preset: option(
      '--preset <name>',
      'paper: contexts v1 to v6, and the engineer checkpoint against base (the policy before training)',
      choice(['paper']),
    ),
    contrasts: option(
      '--contrast <list>',
      'declare contrasts: rules/failures:rules/stats,engineer,context',
      listOf(text),
      {
        again: true,
      },
    ),
    baselines: option('--baselines <list>', 'baselines to include, or none', orWord(listOf(baselines), 'none')),
    measure: option(
      '--measure <name>',
      'measure to compare by: validation, benchmarks, benchmarks-optimal, citation, preservation, usable, brier or rank-correlation',
      text,
      {
        otherwise: 'validation; citation at depth propose',
      },
    ),
    level: option('--level <share>', 'confidence of intervals', share(0.5), { default: '0.95' }),
    margin: option('--margin <share>', 'treat smaller differences as equivalent: 0.02', share()),
    budget: option('--budget <amount>', 'budget of one training, as 400k', budget, { otherwise: 'that of the run' }),
    spendingCap: spendingCapOption,
    jobs: { ...jobsOption, describe: 'number of arms that work at the same time' },
    onError: {
      ...onErrorOption,
      describe: 'when an arm fails: stop all arms, retry it, or keep (conclude without it, exit 0)',
      otherwise: 'the other arms continue, nothing is concluded, exit 1',
    },
    name: option('--name <name>', 'name of the ablation; another name starts over', text),
    notes: option('--notes <text>', 'what the ablation is for', text),
    plan: flag('--plan', 'show arms, trainings, time, cost and detectable differences, and stop'),
    show: option('--show <ablation>', 'show a finished ablation: its name, identity, or latest', ablation),
    verbose: verboseOption,
    format: option('--format <format>', 'text, md or html', choice(['text', 'md', 'html'], jsonElsewhere), {
      otherwise: 'by the ending of the file, else text',
    }),
    output: option('--output <file>', 'write the result to a file', path),
    ...programOptions,
  },
  run: async (context, { runs }, options) => (await import('../ablate/ablate.ts')).ablate(context, runs, options),
});

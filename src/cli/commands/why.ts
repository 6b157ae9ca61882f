import { choice } from '../../library/plugins/values.ts';
import { argument, defineCommand, option } from '../command.ts';
import { formatOption, verboseOption } from '../options.ts';
import { changedKnob, runOrStage } from '../values-of-ledger.ts';

export const command = defineCommand({
  notes: `
Explain a decision: each changed knob with its reason, the evidence it cites, a failed rollout behind that evidence, drawn, and how
the knob's family did in the stage that the change was made for. RUN@3 explains why stage 3 was configured as it was; RUN alone
explains the last decision. KNOB is a knob (8.hole) or a family (8).

Changes that cite nothing, something that was not shown, or another family are marked. The engineer may have been shown no rollout
behind the cited evidence. Then another failed rollout of the changed family is drawn, and its heading says so.

An evidence id names a fact that the engineer was shown: a letter for the module of the context (B behaviour, F and FC failures,
T training, S stats, H history), the family, and the figure. B8.valid is the success rate of family 8, F3 the third drawn failure.

The answer is a table of all changes, or the story of one knob. --detail prints a tree instead: 1 has the knobs, 2 the evidence ids
they cite, 3 the figures of these, 4 the rollouts behind them. --verbose and --json include a tree of depth 2, and of depth 4 for
one knob. Rates on validation are usually higher than those on probe: on validation the policy takes its likeliest action, on
probe it samples. docs/why.md has the same questions in SQL.
`,
  examples: [
    ['icecore why', 'The last decision of the last run'],
    ['icecore why mine@2 8.hole', 'One knob, down to the rollouts'],
    ['icecore why mine@2 --detail 4 --format md > why.md', 'All knobs, as Markdown'],
    ["icecore why mine@2 --json | jq '.changes[] | [.knob, .restsOn]'", 'For a program'],
  ],
  args: {
    run: argument('[run]', 'RUN or RUN@K', runOrStage, { default: 'latest' }),
    knob: argument('[knob]', 'a knob or a family', changedKnob, { otherwise: 'all' }),
  },
  options: {
    detail: option(
      '--detail <n>',
      'print a tree of this depth instead of the answer, 1 to 4',
      choice(
        ['1', '2', '3', '4'],
        '1 shows knobs, 2 the evidence ids they cite, 3 their figures, 4 the rollouts behind them.',
      ),
      { otherwise: 'no tree' },
    ),
    verbose: verboseOption,
    format: formatOption,
  },
  run: async (context, { run, knob }, options) => (await import('../why/why.ts')).why(context, [run, knob], options),
});

import { argument, defineCommand, flag } from '../command.ts';
import { formatOption, verboseOption } from '../options.ts';
import { runOrStage } from '../values-of-ledger.ts';

export const command = defineCommand({
  notes: `
Show a run or one of its stages. RUN is a name or the start of one, an identity or at least its first four characters, or latest.

A run is shown with one line for each stage: training mixture, validation result, and the main change before it. RUN@3 shows stage
3. --verbose shows everything: settings, failures, benchmarks and notes of a run; of a stage every knob, every change with its reason
and evidence, results by family, the course of training, and what the engineer predicted beside what happened.

What was not recorded is left empty. While a person decides on the stages of a run, benchmarks and hidden probe tasks are
left out, because no engineer is shown them; --all includes them.
`,
  examples: [
    ['icecore show', 'The last run'],
    ['icecore show mine@2', 'Its second stage'],
    ['icecore show mine@2 --verbose', 'The same in full'],
    ["icecore show mine --json | jq '.stages[] | [.stage, .valid.value]'", 'For a program'],
  ],
  args: { run: argument('[run]', 'RUN or RUN@K', runOrStage, { default: 'latest' }) },
  options: {
    verbose: verboseOption,
    all: flag(
      '--all',
      'include what is hidden while a person decides on the run: benchmarks and half of the probe tasks',
    ),
    format: formatOption,
  },
  run: async (context, { run }, options) => (await import('../runs/show.ts')).show(context, run, options),
});

import { text } from '../../library/plugins/values.ts';
import { argument, defineCommand, option } from '../command.ts';
import { actorOption, tagOption } from '../options.ts';
import { runOrStage } from '../values-of-ledger.ts';

export const command = defineCommand({
  config: 'run',
  notes: `
Record a note about a run or a stage, which can name a knob or an event. A note is an event with an author and a time; icecore
show prints it. Notes have their own stream and never disturb a run in progress. Repeating a note records it once.
`,
  examples: [
    ['icecore annotate latest "the one for the paper" --tag paper', 'About a run; icecore runs --tag paper finds it'],
    ['icecore annotate mine@2 "too many falls: watch it" --knob 8.hole', 'About a knob in a stage'],
    ['icecore annotate mine@2 "a lucky guess" --event 0b7e41c2', 'About an event'],
  ],
  args: {
    run: argument('<run>', 'RUN or RUN@K', runOrStage),
    text: argument('<text>', 'the note', text),
  },
  options: {
    knob: option('--knob <knob>', 'the knob it is about', text),
    event: option('--event <event>', 'the event it is about: an id, the start of one, or STREAM@REVISION', text),
    tags: tagOption,
    actor: actorOption,
  },
  run: async (context, { run, text }, options) =>
    (await import('../runs/annotate.ts')).annotate(context, run, text, options),
});

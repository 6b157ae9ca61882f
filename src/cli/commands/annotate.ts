// icecore annotate: note something about a run.
import type { CommandModule } from '../command.ts';

const notes = `
A note is about a run, or about one of its stages, and may name a knob or an event. It is an event like all others: it
stays, with who noted it and when; icecore show shows it. Notes stand in a stream of their own and disturb no run that is
under way. The same note by the same person is recorded once.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore annotate latest "the one for the paper" --tag paper', 'About a run; icecore runs --tag paper finds it'],
    ['icecore annotate mine@2 "too many falls: watch it" --knob 8.hole', 'About a knob in a stage'],
    ['icecore annotate mine@2 "a lucky guess" --event 0b7e41c2', 'About an event'],
  ],
  declare: (command) =>
    command
      .argument('<run>', 'RUN or RUN@STAGE')
      .argument('<text>', 'what is to be noted')
      .option('--knob <knob>', 'the knob it is about')
      .option('--event <event>', 'the event it is about: an id, the beginning of one, or STREAM@REVISION')
      .option('--tag <tag...>', 'words to find it by')
      .option('--actor <who>', 'who notes it, as kind/identity; you, where it is missing'),
  run: async (context, command) => {
    const { annotate } = await import('../runs/annotate.ts');
    return await annotate(context, command.args[0] ?? '', command.args[1] ?? '', command.opts());
  },
};

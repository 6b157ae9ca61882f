// icecore context: what an engineer is shown.
import type { CommandModule } from '../command.ts';

const notes = `
Prints the very bytes that an engineer is shown after a stage; a terminal is shown escapes where they would steer it. Where that context was recorded, it is printed as it was;
any other form or length is built from the history as far as that stage, and recorded nowhere. Held-back tasks and
benchmarks have no part in it. What stands in it can be cited by its evidence id; a line on standard error tells how long it is,
and what was left out for want of room.

A form is v1 to v6, abstract, or modules with commas between them: objective, guideline, training, stats, behaviour,
failures, history, self-summary.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore context', 'After the last stage that is over of the last run'],
    ['icecore context mine@2 --form v4 --tokens 4_000', 'What v4 would show after stage 2, in so many tokens'],
    ['icecore context mine@2 --json | jq .evidenceIds', 'What may be cited, and which events stand behind it'],
  ],
  declare: (command) =>
    command
      .argument('[run]', 'RUN or RUN@STAGE; the last run, and its last stage that is over, where they are missing')
      .option('--form <form>', 'a preset or modules with commas (default: that of the run)')
      .option('--tokens <n>', 'how long it may be; 0: as long as it is (default: as in the run)'),
  run: async (context, command) => {
    const { context: show } = await import('../experiment/by-hand/context.ts');
    return await show(context, command.args[0], command.opts());
  },
};

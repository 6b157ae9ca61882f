// icecore adopt: a person decides.

import { again } from '../again.ts';
import type { CommandModule } from '../command.ts';
import { withProgramOptions } from '../program-options.ts';

const notes = `
Records what you decided on the configuration of the next stage, and why. FILE is the whole configuration as JSON, or what
icecore propose --out wrote, as it is or changed; its reasons are taken over, and --reason beats them. What is missing or
out of range is refused and named, and so is a file that was made for a configuration that is no longer in force: nothing
is filled in or moved.

A reason is given for a knob; one that the file leaves as it was is recorded as kept on purpose. --cite names the evidence
ids of the context that a reason rests on (icecore context shows them): ID for all reasons, KNOB=ID for one.

The run then goes on with icecore run --resume, or icecore stage start. A run whose engineer is human waits for it.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ["icecore adopt next.json --reason '8.hole: too many falls' --cite F3", 'A decision with a reason'],
    ['icecore adopt next.json --run mine@2 --cite 8.hole=F3 --cite 3.data=B3.valid', 'Evidence for single knobs'],
    ['icecore adopt next.json --actor human/ada', 'Somebody else decided'],
  ],
  declare: (command) =>
    withProgramOptions(
      command
        .argument('<file>', 'the configuration, or a proposal that icecore propose wrote')
        .option('--reason <reason>', "why a knob is turned or kept, as 'KNOB: TEXT'; again for another", again)
        .option('--cite <id>', 'the evidence id that a reason rests on: ID or KNOB=ID; again for another', again)
        .option('--run <run>', 'RUN or RUN@STAGE (default: what the file was made for, or the last run)')
        .option('--actor <who>', 'who decided, as kind/identity; you, where it is missing'),
    ),
  run: async (context, command) => {
    const { adopt } = await import('../experiment/by-hand/adopt.ts');
    return await adopt(context, command.args[0] ?? '', command.opts());
  },
};

// icecore propose: ask an engineer by hand.
import type { CommandModule } from '../command.ts';
import { withProgramOptions } from '../program-options.ts';

const notes = `
Asks an engineer what it would do after a stage: the one of the run, or any other, in whatever form. Its answer is
recorded with the run, beside what the run asked and decided itself, which it leaves alone; nothing is adopted. A run that
a process works on is refused. --dry-run records nothing of it; what a model answered is recorded all the same, for it was
paid for, and asking again costs nothing.

--out writes the proposal to a file, which icecore adopt takes, as it is or as you changed it. Where nothing that can be used
came, the exit code is 1 and no file is written.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore propose mine@2 --engineer rules', 'What the rule would do'],
    ['icecore propose mine@2 --engineer gpt --context v4 --out next.json', 'A model, to a file that can be adopted'],
    ['icecore propose mine@2 --engineer "python3 easier.py" --dry-run', 'Try a program, and record nothing'],
    ['icecore propose mine@2 --engineer gpt --sample 1', 'Ask the same once more'],
  ],
  declare: (command) =>
    withProgramOptions(
      command
        .argument('[run]', 'RUN or RUN@STAGE; the last run, and its last stage that is over, where they are missing')
        .option('--engineer <who>', 'who is asked (default: the engineer of the run)')
        .option('--context <form>', 'what they are shown (default: the form of the run)')
        .option('--tokens <n>', 'how long that may be; 0: as long as it is (default: as in the run)')
        .option('--sample <n>', 'which of several answers to the same question (default: 0)')
        .option('--out <file>', 'write what is proposed to a file, for icecore adopt')
        .option('--dry-run', 'record nothing')
        .option('--jobs <n>', 'threads (default: as many as there are cores)')
        .option('--spending-cap <amount>', 'what all models together may cost'),
    ),
  run: async (context, command) => {
    const { propose } = await import('../experiment/by-hand/propose.ts');
    return await propose(context, command.args[0], command.opts());
  },
};

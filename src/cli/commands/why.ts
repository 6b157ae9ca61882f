// icecore why: why a configuration changed.
import type { CommandModule } from '../command.ts';

const notes = `
Goes from each knob that was turned to the proposal, its reasons, the evidence it cites, the figures they stand for and the
rollouts behind, drawn as they failed; and forward to what the knob's family did in the stage it was turned for. It says so
where a change cites nothing, what was not shown, or what is of another family; where a configuration was kept, or
nobody chose it; and what a person decided reads the same way. RUN is a name, an identity, the beginning of either, or
latest; without a stage it is the last one that was decided on. KNOB is a knob (8.hole) or a family (8).

Depth 1 tells of knobs, 2 of the evidence ids they cite, 3 of their figures, 4 of the rollouts behind. SQL answers the same:
docs/why.md has the questions.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore why', 'The last decision of the last run'],
    ['icecore why mine@2 8.hole', 'One knob, down to the rollouts'],
    ['icecore why mine@2 --depth 4 --md > why.md', 'All of them, as Markdown'],
    ["icecore why mine@2 --json | jq '.changes[] | [.knob, .restsOn]'", 'For a program'],
  ],
  declare: (command) =>
    command
      .argument('[run]', 'RUN or RUN@STAGE; the last run, where it is missing')
      .argument('[knob]', 'a knob or a family; all, where it is missing')
      .option('--depth <n>', 'how deep to go, 1 to 4 (default: 2, and 4 where a knob is named)')
      .option('--md', 'print Markdown'),
  run: async (context, command) => {
    const { why } = await import('../why/why.ts');
    return await why(context, [command.args[0] ?? 'latest', command.args[1]], command.opts());
  },
};

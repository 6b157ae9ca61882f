// icecore lake show: lakes for the eye.
import type { CommandModule } from '../../command.ts';

const notes = `
Draws every lake of the input, which holds an instance a line, or lakes in letters with blank lines between them: two
characters a cell, .. free, ## a hole, a lower-case letter first where that agent starts, a capital second where it
wants to be, as in

  a. .. .B
  .. ## ..
  b. .. .A

A "plan" in a line is judged and drawn, up to where it fails; so are the lines that icecore lake judge was given, and with
--solve what icecore lake generate made. Trails show where agents go, --frames where they are after every step.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore lake generate --count 2 | icecore lake show --solve', 'New lakes, with an optimal plan on each'],
    ['icecore lake show lake.txt --plan RRDD,UU', 'A plan, agent by agent'],
    ['icecore lake show lake.txt --solve --frames', 'Step by step'],
    ['head -n 1 answers.ndjson | icecore lake show --svg answer.svg', 'As a picture for a page'],
  ],
  declare: (command) =>
    command
      .argument('[file]', 'the file to read; standard input where it is - or missing')
      .option('--plan <moves>', 'draw this plan: for every agent its moves, with commas between them')
      .option('--solve', 'draw an optimal plan')
      .option('--frames', 'a picture for every step')
      .option('--svg <file>', 'write the drawing of one lake here')
      .option('--ascii', 'in letters, as they can be read again'),
  run: async (context, command) => {
    const { show } = await import('../../lake/show.ts');
    return await show(context, command.args[0] ?? '-', command.opts());
  },
};

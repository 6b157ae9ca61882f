import { path, text } from '../../library/plugins/values.ts';
import { argument, defineCommand, flag, option } from '../command.ts';

export const command = defineCommand({
  notes: `
Draws every lake of the input: one instance per line, or lakes in letters separated by blank lines. In letters, a cell has two
characters: .. is free, ## is a hole, a lower-case letter first is the start of an agent, a capital second is its goal, as in

  a. .. .B
  .. ## ..
  b. .. .A

A "plan" in a line is judged and drawn up to where it fails. The input of icecore lake judge works as it is, and --solve draws the
output of icecore lake generate. Trails show the way of each agent, --frames every single step.
`,
  examples: [
    ['icecore lake generate --count 2 | icecore lake show --solve', 'New lakes with an optimal plan on each'],
    ['icecore lake show lake.txt --plan RRDD,UU', 'A plan, agent by agent'],
    ['icecore lake show lake.txt --solve --frames', 'Step by step'],
    ['head -n 1 answers.ndjson | icecore lake show --output answer.svg', 'As a picture for a page'],
  ],
  args: { file: argument('[file]', 'file to read; - is standard input', path, { default: '-' }) },
  options: {
    plan: option('--plan <moves>', 'draw this plan: the moves of each agent, separated by commas', text),
    solve: flag('--solve', 'draw an optimal plan'),
    frames: flag('--frames', 'draw every step'),
    output: option('--output <file>', 'write the drawing of one lake to an SVG file', path),
    ascii: flag('--ascii', 'in letters that can be read again'),
  },
  run: async (context, { file }, options) => (await import('../lake/show.ts')).show(context, file, options),
});

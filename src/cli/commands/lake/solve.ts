// icecore lake solve: optimal plans.
import type { CommandModule } from '../../command.ts';

const notes = `
Reads an instance a line, {"id"?, "size", "holes": [[row, column], ...], "agents": [{"start", "goal"}, ...]}; other keys do
not matter, blank lines are skipped. Answers each at once, in order: {"id", "digest", "solvable", "cost", "needsWait",
"plan"}. The cost is the sum over agents of the step of their final arrival; needsWait says whether somebody waits in
every optimal plan.

Where solvable is false, "because" names the agents that have no plan even alone. Where it is "undecided", the effort was
not enough, and every plan costs at least "bound". Effort is counted in steps of the search: the answer is the same on
every machine, and with any number of jobs. To spend all of the default takes a second or two.

A line that is no instance is answered with {"id", "error"} in its place, and the exit code is 1 in the end.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore lake solve lakes.ndjson > solved.ndjson', 'A file of instances'],
    ['icecore lake generate --count 1000 | icecore lake solve | jq .cost', 'In a pipe'],
    ['icecore lake solve --effort 1_000_000_000 hard.ndjson', 'Looking longer'],
  ],
  declare: (command) =>
    command
      .argument('[file]', 'the file to read; standard input where it is - or missing')
      .option('--effort <steps>', 'how long to look for the optimum of a line (default: 20_000_000)')
      .option('--jobs <n>', 'threads at most, where many lines wait (default: as many as there are cores)'),
  run: async (context, command) => {
    const { filter } = await import('../../lake/filter.ts');
    return await filter(context, 'solve', command.args[0] ?? '-', command.opts());
  },
};

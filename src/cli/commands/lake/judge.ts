// icecore lake judge: what becomes of plans.
import type { CommandModule } from '../../command.ts';

const notes = `
Reads an instance with a "plan" a line, as icecore lake solve reads them; blank lines are skipped. A plan is for every agent
a text of U, D, L, R, W, or for every agent the cells it is on, its start first. "truncated": true says that the text it was
read from had been cut.

Instead of a plan there may be an "answer": what a model said. The plan is found in it as icecore lake evaluate does it,
thoughts between <think> and </think> left out.

Answers each line at once, in order: {"id", "outcome", "cost", "optimal", "failures": [{class, step, agents, cell}]}. The
outcome is valid, or the class of the first failure: parse-error, missing-agent, off-grid, hole, vertex-conflict,
swap-conflict, goal-missed, horizon, truncated. optimal is null where the plan is not valid, or where the effort was
not enough to know the optimum. Optima of lakes that were seen lately are remembered.

A plan that cannot be read is judged: parse-error, with "words" that say why. A line that is no instance is answered
with {"id", "error"} in its place, and the exit code is 1 in the end.

A program may keep it running and wait for each answer. It should write no more than some hundred lines before it reads
what was answered, as examples/lake_reward.py does: a pipe holds only so much.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore lake judge answers.ndjson | jq -r .outcome | sort | uniq -c', 'How often plans fail in which way'],
    [
      `echo '{"size":3,"holes":[],"agents":[{"start":[0,0],"goal":[0,2]}],"plan":["RR"]}' | icecore lake judge`,
      'One plan',
    ],
  ],
  declare: (command) =>
    command
      .argument('[file]', 'the file to read; standard input where it is - or missing')
      .option('--effort <steps>', 'how long to look for the optimum of a line (default: 20_000_000)')
      .option('--jobs <n>', 'threads at most, where many lines wait (default: as many as there are cores)'),
  run: async (context, command) => {
    const { filter } = await import('../../lake/filter.ts');
    return await filter(context, 'judge', command.args[0] ?? '-', command.opts());
  },
};

import { path } from '../../library/plugins/values.ts';
import { argument, defineCommand } from '../command.ts';
import { effortOption } from '../lake-options.ts';
import { jobsOption } from '../options.ts';

export const command = defineCommand({
  notes: `
Reads one instance per line, {"id"?, "size", "holes": [[row, column], ...], "agents": [{"start", "goal"}, ...]}, ignores other keys and
blank lines, and answers each in order: {"id", "digest", "solvable", "cost", "needsWait", "plan"}. The cost is the sum over agents of
the step of their final arrival. needsWait says whether some agent waits in every optimal plan.

If solvable is false, "because" names the agents that have no plan even alone. If it is "undecided", the effort was not enough, and
every plan costs at least "bound". Effort is counted in search steps: the answer is the same on every machine, with any number of jobs.
The default takes a second or two at most.

A line that is no instance is answered with {"id", "error"}, and the exit code is then 1.
`,
  examples: [
    ['icecore lake solve lakes.ndjson > solved.ndjson', 'A file of instances'],
    ['icecore lake generate --count 1000 | icecore lake solve | jq .cost', 'In a pipe'],
    ['icecore lake solve --effort 1e9 hard.ndjson', 'With more effort'],
  ],
  args: { file: argument('[file]', 'file to read; - is standard input', path, { default: '-' }) },
  options: { effort: effortOption, jobs: jobsOption },
  run: async (context, { file }, options) => (await import('../lake/lines.ts')).filter(context, 'solve', file, options),
});

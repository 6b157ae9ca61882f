// Declarations of the lake's commands: arguments, options and help. The work is loaded when a command runs.
import { argument, defineCommand, values } from '../../src/library/plugins/index.ts';
import { comparing, effort, evaluatingOne, file, generating, jobs, measuring, showing, training } from './options.ts';

const { path, text } = values;

export const generate = defineCommand({
  notes: `
Writes one instance per line: {"id", "size", "holes", "agents", "digest", "cost", "needsWait"}. All are solvable, cost is that of an
optimal plan, and needsWait says whether some agent waits in every optimal plan. The same configuration, split, count and seed give
the same lines on every machine, with any number of jobs.

A configuration has the number of agents and, by size, the share of instances of that size, the share of cells that are holes, and the
share of instances that need a wait:

  {"agents": 2, "sizes": {"4": {"data": 0.5, "hole": 0.1, "wait": 0},
                          "8": {"data": 0.5, "hole": 0.2, "wait": 0.5}}}

Without one, all sizes from 3 to 10 are equally frequent. The split of a lake follows from its content, also rotated or mirrored: what
is generated for training is in no test suite.

Some kinds are rare or do not exist, above all small lakes that need a wait. What could not be generated is reported on standard error
and, with --report, as JSON. For training, lakes with another wait take their place; otherwise there are fewer.
`,
  examples: [
    ['icecore lake generate --count 1000 > train.ndjson', 'Lakes to train on'],
    ['icecore lake generate --config config.json --split validation --seed 7', 'From a configuration'],
    ['icecore lake generate --suite agents-3-wait-50 > suite.ndjson', 'A benchmark suite, the same for everybody'],
    ['icecore lake generate --probe --count 2 --agents 3', 'Two of every kind, to probe a policy'],
  ],
  options: generating,
  run: async (context, _, options) => (await import('./generate.ts')).generate(context, options),
});

export const solve = defineCommand({
  notes: `
Reads one instance per line, {"id"?, "size", "holes": [[row, column], ...], "agents": [{"start", "goal"}, ...]}, ignores other keys and
blank lines, and answers each in order: {"id", "digest", "solvable", "cost", "needsWait", "plan"}. The cost is the sum over agents of
the step of their final arrival. needsWait says whether some agent waits in every optimal plan.

If solvable is false, "because" names the agents that have no plan even alone. If it is "undecided", the effort was not enough, and
every plan costs at least "bound". Effort is counted in search steps: the answer is the same on every machine, with any number of jobs.
The default takes a second or two at most.

A line that is not an instance is answered with {"id", "error"}, and the exit code is then 1.
`,
  examples: [
    ['icecore lake solve lakes.ndjson > solved.ndjson', 'A file of instances'],
    ['icecore lake generate --count 1000 | icecore lake solve | jq .cost', 'In a pipe'],
    ['icecore lake solve --effort 1e9 hard.ndjson', 'With more effort'],
  ],
  args: { file },
  options: { effort, jobs },
  run: async (context, { file: from }, options) =>
    (await import('./lines.ts')).answerLines(context, 'solve', from, options),
});

export const judge = defineCommand({
  notes: `
Reads one instance with a "plan" per line, in the format of icecore lake solve; blank lines are ignored. A plan is one text of U, D, L,
R, W per agent, or for each agent the cells it visits, its start first. "truncated": true says that the text of the plan was cut.

Instead of a plan, a line can have an "answer": the text of a model. The plan is found in it as icecore lake evaluate does it, without
the text between <think> and </think>.

Answers each line at once, in order: {"id", "outcome", "cost", "optimal", "failures": [{class, step, agents, cell}]}. The outcome is
valid, or the class of the first failure: parse-error, missing-agent, off-grid, hole, vertex-conflict, swap-conflict, goal-missed,
horizon, truncated. optimal is null if the plan is not valid or the effort was not enough to find the optimum. The optima of recent
lakes are remembered.

A plan that cannot be read is a parse-error, with "words" that say why. A line that is not an instance is answered with {"id", "error"}, and
the exit code is then 1.

A program can keep the command running and wait for each answer. It should write at most some hundred lines before it reads the
answers, as examples/lake_reward.py does: a pipe has limited space.
`,
  examples: [
    ['icecore lake judge answers.ndjson | jq -r .outcome | sort | uniq -c', 'Count the ways in which plans fail'],
    [
      `echo '{"size":3,"holes":[],"agents":[{"start":[0,0],"goal":[0,2]}],"plan":["RR"]}' | icecore lake judge`,
      'One plan',
    ],
  ],
  args: { file },
  options: { effort, jobs },
  run: async (context, { file: from }, options) =>
    (await import('./lines.ts')).answerLines(context, 'judge', from, options),
});

export const show = defineCommand({
  notes: `
Draws every lake of the input: one instance per line, or lakes in letters separated by blank lines. In letters, a cell has two
characters: .. is free, ## is a hole, a lower-case letter first is the start of an agent, a capital second is its goal, as in

  a. .. .B
  .. ## ..
  b. .. .A

A "plan" in a line is judged and drawn up to where it fails. The input of icecore lake judge works as it is, and --solve draws the
output of icecore lake generate; a recorded rollout works too. Trails show the way of each agent, --frames every single step.
`,
  examples: [
    ['icecore lake generate --count 2 | icecore lake show --solve', 'New lakes with an optimal plan on each'],
    ['icecore lake show lake.txt --plan RRDD,UU', 'A plan, agent by agent'],
    ['icecore lake show lake.txt --solve --frames', 'Step by step'],
    ['head -n 1 answers.ndjson | icecore lake show --output answer.svg', 'As a picture for a page'],
    [
      'icecore event show bfc672f1 --json | icecore lake show --animate --output failure.svg',
      'A recorded rollout in motion',
    ],
  ],
  args: { file },
  options: showing,
  run: async (context, { file: from }, options) => (await import('./show.ts')).show(context, from, options),
});

export const train = defineCommand({
  config: 'run',
  notes: `
Trains on lakes of a configuration (icecore lake generate --help) for a number of agent steps, each a move of one agent, and leaves
checkpoints in a folder. The same configuration, budget, seed and start give the same checkpoint on every machine, with any number of
jobs. The learning curve grows on a terminal; elsewhere a line appears from time to time.

After Ctrl-C or a crash, the same command continues from the last saved checkpoint. When training is complete, it shows the result
again. A folder with anything else in it is refused.

After --, a program trains instead: it reads the stage as JSON and reports progress line by line. docs/trainers.md explains how to
write one. Its budget can have other units: --budget updates=200.
`,
  examples: [
    ['icecore lake train', 'All sizes, two agents, 1.2 million agent steps: about ten seconds on two cores'],
    ['icecore lake train --config config.json --budget 2.5M --output small', 'From a configuration, in a folder'],
    ['icecore lake train --config harder.json --from small --output harder', 'Continue from another training'],
    ['icecore lake train --budget updates=50 -- python3 trl_grpo.py --model Qwen/Qwen3-4B', 'With a program'],
    ['icecore lake train --json | jq -c \'select(.kind == "point") | .point.values\'', 'The curve, for a program'],
  ],
  args: { program: argument('[program...]', 'after --: a program that trains, and its arguments', text) },
  options: training,
  run: async (context, { program }, options) => (await import('./train.ts')).train(context, options, program),
});

export const evaluate = defineCommand({
  config: 'run',
  notes: `
POLICY is random, greedy or optimal; a checkpoint: a .safetensors file, or the folder of a training, which means its newest one; or a
model of icecore.config.json, as NAME or NAME:CHECKPOINT.

Without --suite, the policy is evaluated on all benchmark suites, which are the same for everybody (icecore lake generate --suites
lists them). With --config, --agents, --count or --split it is evaluated on fresh lakes, with --lakes on your own. The same policy,
lakes, options and seed give the same results with any number of jobs.

Shares have Wilson intervals over all lakes. A failing endpoint is no evidence for or against a policy: such rollouts are counted
apart and not in the results.

Answers of models are recorded in the ledger before they are judged. Stopped at any time, the same command continues and repeats no
question that was answered.
`,
  examples: [
    ['icecore lake evaluate runs/first', 'The newest checkpoint of a training, on all suites'],
    ['icecore lake evaluate greedy --suite agents-2-wait-50-of-10', 'On a small edition of one suite'],
    [
      'icecore lake evaluate gpt --suite agents-2-wait-50-of-10 --spending-cap 2 --rollouts gpt.ndjson',
      'A model, for at most two dollars, with every rollout',
    ],
    [
      'icecore lake evaluate runs/first --agents 2 --count 500 --sampled --samples 8',
      'Fresh lakes, with eight sampled answers each',
    ],
  ],
  args: { policy: argument('<policy>', 'a rule, a checkpoint or a model', path) },
  options: evaluatingOne,
  run: async (context, { policy }, options) => (await import('./evaluate.ts')).evaluate(context, policy, options),
});

export const leaderboard = defineCommand({
  config: 'run',
  notes: `
POLICY is what icecore lake evaluate accepts: random, greedy, optimal, a checkpoint, or a model of icecore.config.json. Without any, the
three rules are compared, which are the floor and the ceiling for all others.

All policies plan for the same lakes, one policy after the other. Rows are sorted by the share of valid plans over all lakes, with
Wilson intervals in brackets. Do not judge a difference by whether these overlap, but by the paired difference from the best policy, or
from --baseline: +better and -worse say on how many lakes a policy had more or fewer valid plans than the baseline. A difference is
beyond chance if its interval leaves out zero. The more policies are compared, the more often that happens by chance.

Answers of models are recorded in the ledger before they are judged. Stopped at any time, the same command continues and repeats no
question that was answered.
`,
  examples: [
    ['icecore lake leaderboard', 'The rules on all suites'],
    ['icecore lake leaderboard gpt gemini qwen runs/first --spending-cap 20', 'Models and a checkpoint'],
    [
      'icecore lake leaderboard runs/first runs/second --baseline runs/first --samples 8 --sampled',
      'Two trainings, with eight sampled answers per lake',
    ],
    ['icecore lake leaderboard greedy optimal --suite agents-2-wait-50-of-10 --format md', 'A Markdown table'],
  ],
  args: { policies: argument('[policy...]', 'rules, checkpoints and models', path) },
  options: comparing,
  run: async (context, { policies }, options) =>
    (await import('./leaderboard.ts')).leaderboard(context, policies, options),
});

export const bench = defineCommand({
  notes: `
Solves random lakes that have a plan, with 15 % to 25 % holes: lakes per second, median, 99th percentile and longest time, and how many
stayed undecided. Then judges the optimal plans, in agent steps per second, and generates training lakes of the same shape, a quarter
with a wait where these exist. Everything runs on one core. The same seed gives the same lakes.
`,
  examples: [
    ['icecore lake bench', 'Lakes of the usual size, in a few seconds'],
    ['icecore lake bench --sizes 4 --agents 5 --count 10000', 'Crowded lakes'],
  ],
  options: measuring,
  run: async (context, _, options) => (await import('./bench.ts')).bench(context, options),
});

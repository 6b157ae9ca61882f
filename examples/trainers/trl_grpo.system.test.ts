// Tests the parts of trl_grpo.py that work without TRL: its rewards are those of icecore, and it explains why it cannot train a
// stage. Training itself needs a gigabyte of packages: see docs/trainers.md.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { listed } from '../../src/lab/environments/contract/tasks.ts';
import { withoutThoughts } from '../../src/lab/models/answers.ts';
import { openLake } from '../../testbed/lake/environment.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const bin = fileURLToPath(new URL('../../bin/icecore.cjs', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.warn('The tests of trl_grpo.py are skipped: install Python 3.10 or later as python3.');

function python(words: readonly string[], input: string, icecore = `'${process.execPath}' '${bin}'`) {
  const env = { ...process.env, ICECORE: icecore, PYTHONDONTWRITEBYTECODE: '1' };
  return spawnSync('python3', words, { cwd: folder, env, input, encoding: 'utf8' });
}

const lake = { size: 3, holes: [[1, 1]], agents: [{ start: [0, 0], goal: [2, 2] }] };
const answers = [
  '{"plan": ["RRDD"]}',
  '{"plan": ["WRRDD"]}',
  'Down first.\n```json\n{"plan": ["DDRR"]}\n```',
  '- **Agent a:** `ddrr`.',
  '{"plan": [[[0, 0], [0, 1], [0, 2], [1, 2], [2, 2]]]}',
  '<think>{"plan": ["RRDD"]} works</think>{"plan": ["RD"]}',
  '<think>{"plan": ["RRDD"]} works, but',
  'so {"plan": ["RD"]}</think>{"plan": ["RRDD"]}',
  '{"plan": ["RRDD"]} or {"plan": ["DRDR"]}',
  '{"plan": ["RRDD", "U"]}',
  '{"plan": "RRDD"}',
  'R, R, D, D',
  '',
];

describe.skipIf(!hasPython)('trl_grpo.py', () => {
  it('gives the rewards that icecore gives for the same answers', async () => {
    const environment = openLake();
    const task = { id: 'one', family: '3', instance: lake, facts: {} };
    const tries = answers.map((said) => ({ task, answer: withoutThoughts(said).text }));
    const verdicts = await listed(environment.judge(tries));
    await environment.close();
    const program = `
import json, sys, lake_stage, trl_grpo
given = json.load(sys.stdin)
samples = len(given["answers"])
said = [[{"role": "assistant", "content": text}] for text in given["answers"] + samples * ["no"]]
account = trl_grpo.Account(samples, tokens=9)
rewards = account.reward(said, [[0]] * len(said), [json.dumps(given["lake"])] * len(said))
print(json.dumps({"rewards": rewards, "agent_steps": account.agent_steps, "valid": account.outcome_shares()["valid"],
    "learningSignal": lake_stage.learning_signal(account.drawn, account.varied), "sampled": lake_stage.sampled(account.drawn)}))
`;
    const { stdout, stderr } = python(['-c', program], JSON.stringify({ lake, answers }));
    expect(stderr).toBe('');
    const rewards = verdicts.map((verdict) => ('reward' in verdict ? verdict.reward : verdict));
    const none = answers.map(() => 0);
    expect(new Set(rewards)).toEqual(new Set([0, 1, 1.2]));
    const counts = { sampleGroups: 2, withVariance: 1, share: 0.5 };
    expect(JSON.parse(stdout)).toEqual({
      rewards: [...rewards, ...none],
      agent_steps: 2 * answers.length,
      valid: rewards.filter((reward) => reward !== 0).length / (2 * answers.length),
      learningSignal: [
        { family: null, ...counts },
        { family: '3', ...counts },
      ],
      sampled: [{ family: '3', tasks: 2, share: 1 }],
    });
  });

  const stage = {
    protocol: 1,
    environment: 'lake',
    configuration: {},
    budget: { updates: 1 },
    seed: 'a',
    resume: null,
  };
  it.each<[string, string, RegExp]>([
    ['no JSON', 'hello', /^standard input must be a stage in JSON \(.*\): see docs\/trainers.md$/],
    ['no stage', '[]', /^standard input must be a stage of protocol 1/],
    [
      'another environment',
      JSON.stringify({ ...stage, environment: 'coins' }),
      /supports the environment lake only, not coins$/,
    ],
    [
      'another budget',
      JSON.stringify({ ...stage, budget: { episodes: 3 } }),
      /^the budget {"episodes": 3} has none of the units that this trainer knows: agent-steps, updates$/,
    ],
    [
      'no configuration',
      JSON.stringify({ ...stage, folder }),
      /^icecore lake generate made no lakes: .* sizes: found nothing/,
    ],
  ])('reports %s', (_, input, says) => {
    const { status, stdout, stderr } = python(['trl_grpo.py'], input);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr.trim()).toMatch(says);
  });

  it('names the variable with the command of icecore', () => {
    const { stderr } = python(['trl_grpo.py'], JSON.stringify({ ...stage, folder }), '/no/such/icecore');
    expect(stderr).toMatch(/^icecore cannot be started .*: set the environment variable ICECORE to its command/);
  });
});

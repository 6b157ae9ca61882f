// Tests the parts of trl_grpo.py that work without TRL: its rewards are those of icecore, and it explains why it cannot train a
// stage. Training itself needs gigabytes of packages: ICECORE_TEST_PYTHON names a Python with requirements.txt, and ICECORE_TEST_MODEL
// a model to train, a name or a whole path, such as the folder that tiny_model.py makes. The GPU is used if there is one.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../src/base/testing/temporary-folder.ts';
import { listed } from '../../src/lab/environments/contract/tasks.ts';
import { withoutThoughts } from '../../src/lab/models/answers.ts';
import { openLake } from '../../testbed/lake/environment.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const bin = fileURLToPath(new URL('../../bin/icecore.cjs', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.warn('The tests of trl_grpo.py are skipped: install Python 3.10 or later as python3.');

function python(
  words: readonly string[],
  input: string,
  icecore = `'${process.execPath}' '${bin}'`,
  program = 'python3',
) {
  const env = { ...process.env, ICECORE: icecore, PYTHONDONTWRITEBYTECODE: '1' };
  return spawnSync(program, words, { cwd: folder, env, input, encoding: 'utf8' });
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
    from: null,
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
      'a start that is no adapter',
      JSON.stringify({ ...stage, folder, from: { reference: folder } }),
      /trainers\/ is not an adapter in a tar archive \(.*\): start from the final.tar of another training$/,
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

const model = process.env['ICECORE_TEST_MODEL'];
if (model === undefined)
  console.warn('Training with TRL is not tested: set ICECORE_TEST_MODEL and ICECORE_TEST_PYTHON.');

interface Said {
  readonly step?: number;
  readonly spent?: Record<string, number>;
  readonly saved?: { readonly reference: string; readonly digest: string; readonly step: number };
  readonly done?: { readonly checkpoint: { readonly file: string; readonly step: number } };
}

describe.skipIf(model === undefined)('trl_grpo.py with TRL', () => {
  const configuration = { agents: 1, sizes: { 3: { data: 1, hole: 0.1, wait: 0 } } };
  const stage = { protocol: 1, environment: 'lake', configuration, budget: { updates: 2 }, seed: 'a' };

  function train(stage: object): readonly Said[] {
    const words = ['trl_grpo.py', '--model', model ?? '', '--tokens', '32', '--lakes', '2', '--save-every', '1'];
    const ran = python(words, JSON.stringify(stage), undefined, process.env['ICECORE_TEST_PYTHON']);
    expect({ status: ran.status, stderr: ran.status === 0 ? '' : ran.stderr }).toEqual({ status: 0, stderr: '' });
    return ran.stdout.split('\n').flatMap((line) => (line.startsWith('{"') ? [JSON.parse(line) as Said] : []));
  }

  const steps = (said: readonly Said[]) => said.flatMap(({ step }) => step ?? []);

  it('trains a stage, resumes it from its first save, and starts another from its adapter', {
    timeout: 3_600_000,
  }, () => {
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    const whole = train({ ...stage, folder: first, from: null, resume: null });
    expect(steps(whole)).toEqual([1, 2]);
    expect(whole.at(-1)?.done?.checkpoint).toEqual({ file: 'final.tar', step: 2 });
    const save = whole.find(({ saved }) => saved !== undefined)?.saved;
    const resume = { checkpoint: save, step: 1, spent: whole[0]?.spent };
    const resumed = train({ ...stage, folder: first, from: null, resume });
    expect(steps(resumed)).toEqual([2]);
    expect(resumed.at(-1)?.done?.checkpoint.step).toBe(2);
    const from = { reference: join(first, 'final.tar') };
    expect(steps(train({ ...stage, folder: second, from, resume: null }))).toEqual([1, 2]);
    expect(existsSync(join(second, 'final.tar'))).toBe(true);
  });
});

// Tests verl_grpo.py without verl and without a GPU: testing/verl reads its settings and files and writes what verl would write, without
// learning anything. Nobody has run it with verl itself: docs/qwen.md.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bin, temporaryFolder } from '../../src/cli/testing/harness.ts';
import { messageIn } from '../../src/lab/trainers/command/messages.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.warn('The tests of verl_grpo.py are skipped: install Python 3.10 or later as python3.');

const environment = {
  ...process.env,
  ICECORE: `'${process.execPath}' '${bin}'`,
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONPATH: join(folder, 'testing'),
};
const small = [
  'verl_grpo.py',
  '--model',
  './tiny',
  '--lakes',
  '2',
  '--samples',
  '4',
  '--tokens',
  '64',
  '--save-every',
  '2',
];

function trained(stage: object, words: readonly string[] = small, env: Readonly<Record<string, string>> = {}) {
  const options = {
    cwd: folder,
    env: { ...environment, ...env },
    input: JSON.stringify(stage),
    encoding: 'utf8',
  } as const;
  const { status, stdout, stderr } = spawnSync('python3', words, options);
  const printed = stdout.split('\n').filter((line) => line !== '');
  return { status, stderr, printed: printed.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

const lakes = { agents: 1, sizes: { '3': { data: 0.5, hole: 0, wait: 0 }, '4': { data: 0.5, hole: 0, wait: 0 } } };

function stageIn(place: string, change: object = {}) {
  const stage = { protocol: 1, environment: 'lake', configuration: lakes, budget: { updates: 3 }, seed: 'a' };
  return { ...stage, from: null, folder: place, resume: null, ...change };
}

/** The settings that verl was started with. */
function settingsIn(stderr: string): Record<string, unknown> {
  const [, text = '{}'] = /^settings (.*)$/m.exec(stderr) ?? [];
  return JSON.parse(text) as Record<string, unknown>;
}

function filesIn(archive: string): Record<string, string> {
  const names = spawnSync('tar', ['-tf', archive], { encoding: 'utf8' }).stdout.trim().split('\n');
  const text = (name: string): string => spawnSync('tar', ['-xOf', archive, name], { encoding: 'utf8' }).stdout;
  return Object.fromEntries(names.map((name) => [name, text(name)]));
}

const signal = (family: string | null, sampleGroups: number) => ({
  family,
  sampleGroups,
  withVariance: sampleGroups,
  share: 1,
});

describe.skipIf(!hasPython)('verl_grpo.py', () => {
  it('reports updates, saves and the packed adapter, and deletes what takes gigabytes', () => {
    const place = temporaryFolder();
    const { status, printed, stderr } = trained(stageIn(place));
    expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
    for (const message of printed) expect(messageIn(JSON.stringify(message))).not.toBeNull();
    const values = { reward: 0.6, valid: 0.5, length: 12.5, kl: 0.25 };
    const update = (step: number) => ({ step, spent: { 'agent-steps': 100 * step, updates: step }, values });
    const saved = (step: number) => ({ saved: { reference: join(place, 'checkpoints', `global_step_${step}`), step } });
    expect(printed.slice(0, -1)).toEqual([update(1), update(2), saved(2), update(3), saved(3)]);
    const { done } = printed.at(-1) as { done: { learningSignal: object[]; sampled: { tasks: number }[] } };
    expect(done).toMatchObject({
      checkpoint: { file: 'final.tar', step: 3 },
      spent: { 'agent-steps': 300, updates: 3 },
    });
    expect(done.learningSignal[0]).toEqual(signal(null, 6));
    expect(done.sampled.reduce((sum, { tasks }) => sum + tasks, 0)).toBe(6);
    const seed = settingsIn(stderr)['data.seed'];
    expect(filesIn(join(place, 'final.tar'))).toEqual({
      'adapter_config.json': '{"r": 16}',
      'adapter_model.safetensors': `base ${seed}:3`,
    });
    expect(readdirSync(place)).toEqual(expect.not.arrayContaining(['merged', 'checkpoints', 'final.part']));
  });

  it('writes a data set of prompts and lakes, and settings for one GPU', () => {
    const place = join(temporaryFolder(), "Ada's lakes");
    mkdirSync(place);
    const { status, stderr } = trained(stageIn(place), [...small, '--template', '{"enable_thinking": false}']);
    expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
    const rows = readFileSync(join(place, 'train.jsonl'), 'utf8').trim().split('\n');
    expect(rows).toHaveLength(2000);
    const row = JSON.parse(rows[0] ?? '') as { reward_model: { ground_truth: string } };
    const lake = JSON.parse(row.reward_model.ground_truth) as object;
    const program = 'import json, sys, lake_words; print(json.dumps(lake_words.prompt(json.load(sys.stdin))))';
    const prompt = spawnSync('python3', ['-c', program], {
      cwd: folder,
      env: environment,
      input: JSON.stringify(lake),
    });
    expect(row).toEqual({
      data_source: 'icecore-lake',
      prompt: [{ role: 'user', content: JSON.parse(String(prompt.stdout)) }],
      reward_model: { style: 'rule', ground_truth: JSON.stringify(lake).replaceAll(',', ', ').replaceAll(':', ': ') },
      extra_info: { index: 0 },
    });
    expect(readFileSync(join(place, 'validation.jsonl'), 'utf8').trim()).toBe(rows[0]);
    const seed = expect.stringMatching(/^\d+$/);
    const inPlace = (name: string): string => join(place, name);
    expect(settingsIn(stderr)).toEqual({
      'algorithm.adv_estimator': 'grpo',
      'data.train_files': inPlace('train.jsonl'),
      'data.val_files': inPlace('validation.jsonl'),
      'data.train_batch_size': '2',
      'data.max_prompt_length': '2048',
      'data.max_response_length': '64',
      'data.truncation': 'error',
      'data.shuffle': 'False',
      'data.seed': seed,
      'data.apply_chat_template_kwargs.enable_thinking': 'False',
      'actor_rollout_ref.model.path': './tiny',
      'actor_rollout_ref.model.lora_rank': '16',
      'actor_rollout_ref.model.lora_alpha': '32',
      'actor_rollout_ref.model.target_modules': 'all-linear',
      'actor_rollout_ref.actor.optim.lr': '1e-05',
      'actor_rollout_ref.actor.ppo_mini_batch_size': '2',
      'actor_rollout_ref.actor.use_dynamic_bsz': 'True',
      'actor_rollout_ref.actor.ppo_max_token_len_per_gpu': '8448',
      'actor_rollout_ref.actor.use_kl_loss': 'False',
      'actor_rollout_ref.actor.data_loader_seed': seed,
      'actor_rollout_ref.rollout.name': 'vllm',
      'actor_rollout_ref.rollout.n': '4',
      'actor_rollout_ref.rollout.seed': seed,
      'actor_rollout_ref.rollout.load_format': 'safetensors',
      'actor_rollout_ref.rollout.layered_summon': 'True',
      'actor_rollout_ref.rollout.tensor_model_parallel_size': '1',
      'actor_rollout_ref.rollout.gpu_memory_utilization': '0.3',
      'reward.num_workers': '1',
      'reward.custom_reward_function.path': join(folder, 'verl_reward.py'),
      'reward.custom_reward_function.name': 'compute_score',
      'trainer.logger': ['console', 'file'],
      'trainer.project_name': 'icecore',
      'trainer.experiment_name': "Ada's lakes",
      'trainer.nnodes': '1',
      'trainer.n_gpus_per_node': '1',
      'trainer.total_training_steps': '3',
      'trainer.total_epochs': '3',
      'trainer.val_before_train': 'False',
      'trainer.test_freq': '-1',
      'trainer.save_freq': '2',
      'trainer.max_actor_ckpt_to_keep': '2',
      'trainer.default_local_dir': inPlace('checkpoints'),
      'trainer.rollout_data_dir': inPlace('plans'),
      'trainer.resume_mode': 'disable',
      'hydra.run.dir': inPlace('hydra'),
    });
  });

  it('stops when it is asked to, and resumes from the last save with the counts of a training that was never stopped', async () => {
    const [place, other] = [temporaryFolder(), temporaryFolder()];
    const env = { ...environment, STAND_IN_WAITS_AFTER: '2' };
    const child = spawn('python3', small, { cwd: folder, env, stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdin.end(JSON.stringify(stageIn(place)));
    let spent = {};
    for await (const line of createInterface(child.stdout)) {
      const message = JSON.parse(line) as { spent?: object; saved?: object };
      spent = message.spent ?? spent;
      if (message.saved !== undefined) child.kill('SIGTERM');
    }
    if (child.exitCode === null) await once(child, 'exit');
    expect(child.exitCode).toBe(1);
    const reference = join(place, 'checkpoints', 'global_step_2');
    const resumed = trained(stageIn(place, { resume: { checkpoint: { reference }, step: 2, spent } }));
    expect(settingsIn(resumed.stderr)).toMatchObject({
      'trainer.resume_mode': 'resume_path',
      'trainer.resume_from_path': reference,
    });
    const whole = trained(stageIn(other));
    const numbers = ({ printed }: typeof whole) => JSON.stringify(printed.filter((one) => !('saved' in one)));
    expect(JSON.parse(numbers(resumed))).toEqual((JSON.parse(numbers(whole)) as object[]).slice(2));
  });

  it('starts from the adapter of the stage before, and packs the same bytes twice', () => {
    const [first, second, third] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
    trained(stageIn(first));
    const reference = join(first, 'final.tar');
    const [one, other] = [second, third].map((place) => {
      const { stderr } = trained(stageIn(place, { seed: 'b', from: { reference } }));
      expect(settingsIn(stderr)).toMatchObject({ 'actor_rollout_ref.model.lora_adapter_path': join(place, 'from') });
      return readFileSync(join(place, 'final.tar'));
    });
    expect(one).toEqual(other);
    expect(filesIn(join(second, 'final.tar'))['adapter_model.safetensors']).toMatch(/^base \d+:3 \d+:3$/);
  });

  it('gives icecore’s rewards, also when verl asks from several threads', () => {
    const program = `
import concurrent.futures, json, sys
sys.path.insert(0, "testing")
import verl_reward
lake = json.dumps({"size": 3, "holes": [[1, 1]], "agents": [{"start": [0, 0], "goal": [2, 2]}]})
said = ['{"plan": ["RRDD"]}', '{"plan": ["WRRDD"]}', '<think>hm</think>{"plan": ["RD"]}', ""] * 50
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    print(json.dumps(list(pool.map(lambda text: verl_reward.compute_score("icecore-lake", text, lake, {"index": 0}), said))))
`;
    const { stdout, stderr } = spawnSync('python3', ['-c', program], {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(Array.from({ length: 50 }, () => [1.2, 1, 0, 0]).flat());
  });

  it('says where verl ended, and which budget it takes', () => {
    const failed = trained(stageIn(temporaryFolder()), small, { STAND_IN_FAILS_AFTER: '2' });
    expect(failed.status).toBe(1);
    expect(failed.stderr).toContain('verl ended after update 2 of 3 with exit code 3; its output is above');
    const refused = trained(stageIn(temporaryFolder(), { budget: { 'agent-steps': 9 } }));
    expect(refused).toMatchObject({ status: 1, printed: [] });
    expect(refused.stderr.trim()).toBe(
      'the budget {"agent-steps": 9} has none of the units that this trainer knows: updates',
    );
  });

  it('packs nothing again if it is resumed after its end', () => {
    const place = temporaryFolder();
    trained(stageIn(place));
    writeFileSync(join(place, 'final.tar'), 'as it was');
    const resume = {
      checkpoint: { reference: join(place, 'checkpoints', 'global_step_3') },
      step: 3,
      spent: { 'agent-steps': 300 },
    };
    const { status, printed } = trained(stageIn(place, { resume }));
    expect({ status, messages: printed.length }).toEqual({ status: 0, messages: 1 });
    expect(readFileSync(join(place, 'final.tar'), 'utf8')).toBe('as it was');
    expect(existsSync(join(place, 'checkpoints'))).toBe(false);
  });
});

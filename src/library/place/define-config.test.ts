import { expect, it } from 'vitest';
import { definePlugin } from '../plugins/plugin.ts';
import { defineConfig } from './define-config.ts';
import { checkedSettings } from './settings-file.ts';

const whole = {
  ledger: { decisions: 'sqlite:ledger.db', evidence: 'sqlite:evidence.db' },
  blobs: 'folder:blobs',
  texts: 'blobs',
  models: { qwen: { url: 'http://localhost:8000/v1', model: 'Qwen/Qwen3-4B', prices: { input: 0, output: 0 } } },
  plugins: [definePlugin({ name: 'acme' })],
  defaults: {
    ...{ environment: ['python3', 'environment.py'], policy: 'base', trainer: 'grpo', engineer: 'rules' },
    ...{ context: 'v1', seed: '12345678901234567890', stages: 3, budget: { 'agent-steps': 400_000 } },
  },
} as const;

it('defineConfig accepts every setting, as an object, a function or an async function', async () => {
  expect(defineConfig(whole)).toBe(whole);
  expect(defineConfig(() => whole)()).toBe(whole);
  expect(await defineConfig(async () => whole)()).toBe(whole);
  const { plugins: _, ...plain } = whole;
  expect(checkedSettings('icecore.config.ts', whole, ['plugins'])).toEqual({
    ...plain,
    ledger: 'split:sqlite:ledger.db+sqlite:evidence.db',
  });
});

it('refused settings are type errors as well', () => {
  const check = (value: unknown) => () => checkedSettings('icecore.config.ts', value, ['plugins']);
  // @ts-expect-error: an unknown storage for texts.
  expect(check(defineConfig({ texts: 'elsewhere' }))).toThrow(', texts: found "elsewhere"');
  // @ts-expect-error: a number where a name is needed.
  expect(check(defineConfig({ defaults: { engineer: 5 } }))).toThrow(', defaults.engineer: found 5');
  // @ts-expect-error: a setting of runs that has no default.
  expect(check(defineConfig({ defaults: { name: 'mine' } }))).toThrow(', defaults.name: found an unknown key');
  // @ts-expect-error: a model without its address.
  expect(check(defineConfig({ models: { gpt: { model: 'gpt' } } }))).toThrow(', models.gpt.url: found');
});

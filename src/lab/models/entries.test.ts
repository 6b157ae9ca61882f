import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { modelEntries } from '../../../schemas/models.ts';
import { BadModels, exampleOf, howToConfigure, modelEntriesOf, modelEntryNamed, UnknownModel } from './entries.ts';
import { BadKey, Secret, secretOf } from './secret.ts';

const url = 'http://localhost:8000/v1';
const entry = (more: object = {}): object => ({ url, model: 'Qwen/Qwen3-4B', ...more });

function wrong(models: unknown): string {
  try {
    modelEntriesOf(models);
  } catch (error) {
    if (error instanceof BadModels) return error.message;
    throw error;
  }
  return 'nothing is wrong';
}

describe('the models of a configuration file', () => {
  it('need an address and a name; everything else has defaults', () => {
    expect(modelEntriesOf({ qwen: entry() }).get('qwen')).toEqual({
      name: 'qwen',
      url,
      model: 'Qwen/Qwen3-4B',
      base: null,
      key: null,
      prices: null,
      parameters: {},
      greedy: { temperature: 0 },
      seeds: false,
      schemas: false,
      stream: false,
      concurrency: 8,
      limits: { connectMs: 10_000, firstByteMs: 600_000, wholeMs: 600_000 },
      tokensPerMinute: null,
      serve: null,
    });
  });

  it('are used as written', () => {
    const written = {
      model: 'lora-{checkpoint}',
      base: 'Qwen/Qwen3-4B',
      key: 'VLLM_KEY',
      prices: { input: 0.1, output: 0.4 },
      parameters: { temperature: 0.6, max_tokens: 8192, chat_template_kwargs: { enable_thinking: true } },
      greedy: {},
      seeds: true,
      schemas: true,
      stream: true,
      concurrency: 64,
      timeout: { whole: 1200, connect: 2 },
      tokensPerMinute: 100_000,
      serve: { root: '/adapters', timeout: 30 },
    };
    const { timeout: _, serve: __, ...same } = written;
    expect(modelEntriesOf({ qwen: entry(written) }).get('qwen')).toEqual({
      name: 'qwen',
      url,
      ...same,
      prices: { input: 0.1, output: 0.4, cached: 0.1, currency: 'USD' },
      limits: { connectMs: 2000, firstByteMs: 1_200_000, wholeMs: 1_200_000 },
      serve: { path: 'load_lora_adapter', root: '/adapters', timeoutMs: 30_000 },
    });
  });

  it('work as in the guide, which names every key', () => {
    const guide = readFileSync(new URL('../../../docs/models.md', import.meta.url), 'utf8');
    const [, example = ''] = /```json\n(\{\n {2}"models".*?)```/s.exec(guide) ?? [];
    expect([...modelEntriesOf(JSON.parse(example).models).keys()]).toEqual(['qwen', 'gpt', 'gemini']);
    const [, table = ''] = /\n\| key \| what it is \|\n(.*?)\n\n/s.exec(guide) ?? [];
    const listed = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => key);
    const { properties } = z.toJSONSchema(modelEntries).additionalProperties as { properties: object };
    expect(listed).toEqual(Object.keys(properties));
  });

  it('may have a trailing slash in the address', () => {
    expect(modelEntriesOf({ a: entry({ url: `${url}/` }) }).get('a')?.url).toBe(url);
  });

  it.each([
    [7, 'models: found 7 (a number), allowed: an object'],
    [{ qwen: { model: 'q' } }, 'models.qwen.url: found nothing, allowed: a string'],
    [{ qwen: entry({ modle: 'q' }) }, 'models.qwen.modle: found an unknown key, allowed: a known one, perhaps "model"'],
    [
      { qwen: entry({ prices: { input: -1, output: 1 } }) },
      'models.qwen.prices.input: found -1 (a number), allowed: a number from 0',
    ],
    [
      { qwen: entry({ concurrency: 0 }) },
      'models.qwen.concurrency: found 0 (a number), allowed: a whole number from 1 to 1024',
    ],
    [
      { qwen: entry({ timeout: { whole: 0 } }) },
      'models.qwen.timeout.whole: found 0 (a number), allowed: a number above 0 to 86400',
    ],
    [{ 'a b': entry({ url: 'localhost:8000' }) }, 'models["a b"].url: found something that is not an address'],
    [{ qwen: entry({ url: `${url}/chat/completions` }) }, 'models.qwen.url: found an address with /chat/completions'],
    [{ qwen: entry({ base: 'q' }) }, 'models.qwen.base: found a base, allowed: none'],
    [{ qwen: entry({ serve: {} }) }, 'models.qwen.serve: found settings, allowed: none'],
    [
      { qwen: entry({ parameters: { stream: true } }) },
      'models.qwen.parameters.stream: found a setting, allowed: not here',
    ],
    [{ qwen: entry({ greedy: { n: 4 } }) }, 'models.qwen.greedy.n: found a setting, allowed: not here'],
  ])('%j: %s', (models, words) => {
    expect(wrong(models)).toContain(words);
  });

  it('report all issues', () => {
    const models = { a: entry({ url: 'no' }), b: entry({ parameters: { n: 2, tools: [] } }) };
    expect(wrong(models)).toMatch(/^models\.a\.url: .* \(and 2 more issues\)$/);
  });

  it('do not show what may be a secret', () => {
    const pasted = 'sk-live-1234567890';
    for (const more of [
      { key: pasted },
      { key: 'AIzaSyD4pasted' },
      { url: `https://user:${pasted}@host/v1` },
      { url: `https://host/v1?key=${pasted}` },
      { parameters: { api_key: pasted } },
      { api_key: pasted },
    ]) {
      expect(wrong({ gpt: entry(more) })).not.toMatch(/1234567890|AIza/);
      expect(wrong({ gpt: entry(more) })).toContain('models.gpt.');
    }
  });

  it('are found by name, with similar names in the error', () => {
    const entries = modelEntriesOf({ qwen: entry(), gpt: entry() });
    expect(modelEntryNamed('gpt', entries).name).toBe('gpt');
    expect(() => modelEntryNamed('qwem', entries)).toThrow(UnknownModel);
    expect(() => modelEntryNamed('qwem', entries)).toThrow(expect.objectContaining({ remedy: 'Did you mean qwen?' }));
    expect(() => modelEntryNamed('x', new Map())).toThrow(
      expect.objectContaining({
        facts: expect.objectContaining({ excerpt: expect.stringContaining('{"models":{"x":{"url":') }),
        remedy: expect.stringContaining('save the line as that file'),
      }),
    );
  });
});

describe('the example of an entry', () => {
  const modelIn = (name: string): unknown => JSON.parse(exampleOf(name)).models[name].model;

  it('has a model that fits its name', () => {
    expect(['gpt-4o', 'gemini-2.5-pro'].map(modelIn)).toEqual(['gpt-4o', 'gemini-2.5-pro']);
    expect(modelIn('gpt')).toMatch(/^gpt-/);
  });

  it('comes with the command that allows exactly its URL', () => {
    expect(howToConfigure('gpt')).toMatch(/icecore trust --host api\.openai\.com\/v1$/);
  });
});

describe('the key of a model', () => {
  const gpt = modelEntriesOf({ gpt: entry({ key: 'GPT_KEY' }), free: entry() });
  const [keyed, free] = [gpt.get('gpt'), gpt.get('free')] as [never, never];

  it('is the value of its variable, and missing if no variable is named', () => {
    expect(secretOf(keyed, { GPT_KEY: ' sk-1\n' })?.reveal()).toBe('sk-1');
    expect(secretOf(free, { GPT_KEY: 'sk-1' })).toBe(null);
  });

  it('that is missing or invalid is reported by the name of its variable', () => {
    for (const environment of [{}, { GPT_KEY: ' ' }]) expect(() => secretOf(keyed, environment)).toThrow(BadKey);
    expect(() => secretOf(keyed, {})).toThrow('GPT_KEY, which has the key of the model gpt, is not set');
    expect(() => secretOf(keyed, { GPT_KEY: 'sk 1\u0007' })).toThrow('has a character that is not allowed in keys');
  });

  it('is never shown', () => {
    const secret = new Secret('GPT_KEY', 'sk-1');
    const shown = [inspect({ secret }, { showHidden: true, depth: 9 }), JSON.stringify({ secret }), `${secret}`];
    for (const text of shown) expect(text).toMatch(/^((?!sk-1).)*\[GPT_KEY\]((?!sk-1).)*$/s);
    expect(secret.scrub('the key sk-1 is wrong, sk-***1 too')).toBe('the key [GPT_KEY] is wrong, [GPT_KEY] too');
  });
});

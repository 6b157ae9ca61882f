import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerReply, Endpoint, type Reply, silent, status } from '../lab/models/testing/endpoint.ts';
import { served, wellBehaved } from '../lab/models/testing/well-behaved.ts';
import { icecore, json, lines, type Ran, temporaryFolder } from './testing/harness.ts';
import { faultsAgainst } from './testing/published.ts';

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await Endpoint.start();
});
afterAll(() => endpoint.stop());

const key = 'sk-very-secret';

/** Doctor in a folder whose settings name these models. */
async function doctor(models: object, words: readonly string[] = [], env: Record<string, string> = {}): Promise<Ran> {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'icecore.config.json'), JSON.stringify({ models }));
  return await icecore(['doctor', ...words], { cwd, env: { THE_KEY: key, ICECORE_TRUST: cwd, ...env } });
}

/** The check of the model `qwen`, whose endpoint gives this reply. */
async function found(reply: Reply, more: object = {}): Promise<{ status: string; found: string; remedy: string }> {
  endpoint.replies(reply);
  const ran = await doctor({ qwen: entry(more) }, ['--json']);
  expect(ran.stdout + ran.stderr).not.toContain(key);
  expect(faultsAgainst('doctor', json(ran))).toEqual([]);
  const rows = json(ran)['rows'] as { name: string; status: string; found: string; remedy: string }[];
  const row = rows.find(({ name }) => name === 'model qwen');
  if (row === undefined) throw new Error('the model was not checked', { cause: ran });
  expect(ran.code).toBe(row.status === 'failed' ? 1 : 0);
  return row;
}

function entry(more: object = {}): object {
  return { url: endpoint.url, model: served, key: 'THE_KEY', ...more };
}

const prices = { input: 1, output: 10 };

describe('icecore doctor with a model', () => {
  it('reports that the model answers, how soon and at what cost', async () => {
    endpoint.script(wellBehaved(() => 'OK. '));
    const ran = await doctor({ qwen: entry({ prices }) });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(
      /^ok +model qwen +http:.*\/v1: served-model answers after .* ms \(2 \+ 1 tokens, 0.000012 USD\)$/m,
    );
  });

  it('prints the maximum cost before it asks, and limits the answer to 16 tokens', async () => {
    endpoint.script(wellBehaved(() => 'one two three four five six seven eight nine ten'.repeat(9)));
    const models = { qwen: entry({ prices, parameters: { temperature: 0.5, max_tokens: 9000 } }), free: entry() };
    const ran = await doctor(models);
    expect(ran.stderr).toMatch(
      /^asking 2 models a short question \(0\.000\d+ USD at most; no prices: free\); --no-models leaves that out$/m,
    );
    expect(endpoint.seen.map(({ body }) => body['max_tokens'])).toEqual([16, 16]);
    expect(endpoint.seen.map(({ body }) => body['temperature'])).toContain(0.5);
    expect(ran.stdout).toMatch(/\+ 16 tokens, /);
  });

  it('asks all models at once', async () => {
    const waiting: (() => void)[] = [];
    endpoint.replies((response, seen) => {
      waiting.push(() => answerReply('OK.')(response, seen));
      if (waiting.length === 3) for (const answer of waiting) answer();
    });
    expect((await doctor({ a: entry(), b: entry(), c: entry() })).code).toBe(0);
  });

  it('asks nothing with --no-models, and prints nothing if there are no models', async () => {
    endpoint.replies(answerReply('OK.'));
    const ran = await doctor({ qwen: entry() }, ['--no-models']);
    expect(ran).toMatchObject({ code: 0, stderr: '', stdout: expect.not.stringContaining('qwen') });
    expect(endpoint.seen).toHaveLength(0);
    expect(await doctor({})).toMatchObject({ code: 0, stderr: '' });
  });

  it('reports a key that the endpoint rejects', async () => {
    endpoint.script(wellBehaved(() => 'OK.', 'another key'));
    const ran = await doctor({ qwen: entry() });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(
      /^failed +model qwen .*it does not accept the key in THE_KEY \(status 401\)\. Check the value of THE_KEY\.$/m,
    );
    expect(endpoint.seen).toHaveLength(1);
  });

  it('reports a missing key without asking the model', async () => {
    const check = await found(answerReply('OK.'), { key: 'NOT_SET' });
    expect(check.found).toBe('the environment variable NOT_SET, which has the key of the model qwen, is not set');
    expect(check.remedy).toBe('Set it: export NOT_SET=...');
    expect(endpoint.seen).toHaveLength(0);
  });

  it('reports an endpoint that is down', async () => {
    const gone = await Endpoint.start();
    const { url } = gone;
    await gone.stop();
    const check = await found(answerReply('OK.'), { url });
    expect(check).toMatchObject({
      status: 'failed',
      found: `${url}: connection refused: no server listens there (ECONNREFUSED)`,
    });
    expect(check.remedy).toBe('Check that it runs, and the address in "url".');
  });

  it('reports a model that the endpoint does not know', async () => {
    const check = await found(status(404, { error: { message: 'The model `served-model` does not exist.' } }));
    expect(check.found).toContain('it cannot do this (status 404: The model `served-model` does not exist.)');
    expect(check.remedy).toContain('Check "model"');
  });

  it('reports an endpoint that answers with an HTML page', async () => {
    const check = await found(status(200, '<html><body>Welcome</body></html>', { 'content-type': 'text/html' }));
    expect(check.found).toContain('it answers a page instead of JSON (text/html)');
    expect(check.remedy).toContain('Check that "url" is everything before /chat/completions');
  });

  it('reports a model that is too slow or rate-limited, and does not retry', async () => {
    expect(await found(silent, { timeout: { firstByte: 0.05 } })).toMatchObject({
      status: 'failed',
      found: expect.stringContaining('no response began within 0.05 s'),
      remedy: expect.stringContaining('Give it more time'),
    });
    expect(await found(status(429, '', { 'retry-after': '7' }))).toMatchObject({
      status: 'warning',
      found: expect.stringContaining('retry after 7 s'),
    });
    expect(endpoint.seen).toHaveLength(1);
  });

  it('accepts a model that renames max_tokens or needs more than 16 tokens', async () => {
    const refusal =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'.";
    endpoint.script((_, { body }) =>
      'max_tokens' in body ? status(400, { error: { message: refusal } }) : answerReply('OK.'),
    );
    expect((await doctor({ qwen: entry() })).code).toBe(0);
    expect(endpoint.seen.map(({ body }) => body['max_completion_tokens'])).toEqual([undefined, 16]);
    const full = 'Could not finish the message because max_tokens or model output limit was reached.';
    expect((await found(status(400, { error: { message: full } }))).status).toBe('ok');
    expect((await found(status(400, { error: { message: refusal } }), { parameters: { max_tokens: 9 } })).status).toBe(
      'failed',
    );
  });
});

describe('icecore doctor with a model named by checkpoint', () => {
  const lora = { model: 'lora-{checkpoint}' };

  it('asks the base model, and reports that no checkpoint can be asked yet', async () => {
    endpoint.script(wellBehaved(() => 'OK.'));
    const ran = await doctor({ qwen: entry({ ...lora, base: served }) });
    expect(ran.stdout).toMatch(
      /served-model answers .*; lora-\{checkpoint\} cannot be asked before a checkpoint exists$/m,
    );
  });

  it('requests the list of models, which is free, if there is no base', async () => {
    const list = { data: ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id })) };
    const check = await found(status(200, list), { ...lora, prices });
    expect(check.status).toBe('ok');
    expect(check.found).toMatch(
      /\/v1 serves 6 models \(a, b, c, d, e and 1 more\); lora-\{checkpoint\} cannot be asked/,
    );
    expect(endpoint.seen[0]).toMatchObject({ path: '/v1/models', headers: { authorization: `Bearer ${key}` } });
  });

  it('warns that the model cannot be checked if the endpoint has no such list', async () => {
    const check = await found(status(404), lora);
    expect(check).toMatchObject({ status: 'warning', remedy: expect.stringContaining('"base"') });
    expect(check.found).toMatch(/and http:.*\/v1\/models lists no models$/);
  });

  it.each([
    ['a wrong key', status(401), 'it does not accept the key in THE_KEY'],
    ['an HTML page', status(200, '<html>'), 'it answers a page instead of JSON'],
    ['a redirect', status(302, '', { location: 'https://elsewhere.example/v1/models' }), 'it redirects to'],
    ['a timeout', silent, 'the response was not complete within 0.05 s', { timeout: { whole: 0.05 } }],
  ])('reports %s', async (_, reply, words, more: object = {}) => {
    const check = await found(reply, { ...lora, ...more });
    expect(check).toMatchObject({ status: 'failed', found: expect.stringContaining(words) });
    expect(check.remedy).not.toBe('');
  });
});

describe('icecore doctor', () => {
  it('ends when it is stopped while it waits for a model', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'icecore.config.json'), JSON.stringify({ models: { qwen: entry() } }));
    const stop = new AbortController();
    endpoint.replies(silent);
    const running = icecore(['doctor'], { cwd, env: { THE_KEY: key, ICECORE_TRUST: cwd }, signal: stop.signal });
    await endpoint.arrived();
    stop.abort('SIGINT');
    const ran = await running;
    expect(ran).toMatchObject({ code: 130, stdout: '' });
    expect(lines(ran.stderr).at(-1)).toContain('stopped by SIGINT');
  });
});

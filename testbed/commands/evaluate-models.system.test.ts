// Language models as policies, behind a real HTTP server that works or misbehaves.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LakeRollout } from '../../schemas/lake-evaluation-output.ts';
import { icecore, json, lines, type Ran, type Surroundings, temporaryFolder } from '../../src/cli/testing/harness.ts';
import { faultsAgainst } from '../../src/cli/testing/published.ts';
import { answerReply, Endpoint, type Reply, status } from '../../src/lab/models/testing/endpoint.ts';
import { promptIn, served, wellBehaved } from '../../src/lab/models/testing/well-behaved.ts';
import { mind } from '../../src/lab/policies/testing/speaking.ts';
import { countIn, evaluationIn, lasting, leaderboardIn } from './testing/printed.ts';

const key = 'sk-very-secret';
const env = { THE_KEY: key, ICECORE_TRUST: '*' };
const suite = ['--suite', 'agents-2-wait-50-of-2'];
const lakes = 16;

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await Endpoint.start();
});
afterAll(() => endpoint.stop());
beforeEach(() => endpoint.script(wellBehaved(mind)));

/** A folder whose settings name this one model, and that has no workspace yet. */
function project(more: object = {}): string {
  const cwd = temporaryFolder();
  const gpt = {
    url: endpoint.url,
    model: served,
    key: 'THE_KEY',
    prices: { input: 1, output: 4 },
    parameters: { max_tokens: 64 },
    seeds: true,
    ...more,
  };
  writeFileSync(join(cwd, 'icecore.config.json'), JSON.stringify({ models: { gpt } }));
  return cwd;
}

function evaluate(
  cwd: string,
  argv: readonly string[] = suite,
  surroundings: Partial<Surroundings> = {},
): Promise<Ran> {
  return icecore(['lake', 'evaluate', 'gpt', ...argv], { cwd, env, ...surroundings });
}

/** The error as --json reports it. */
function faultIn(ran: Ran, code = 1): Record<string, unknown> {
  expect(ran.code).toBe(code);
  expect(ran.stdout + ran.stderr).not.toContain(key);
  return json(ran)['error'] as Record<string, unknown>;
}

describe('a model as a policy', () => {
  it('has its answers recorded in a new ledger, and is asked once for each', async () => {
    const cwd = project();
    const first = await evaluate(cwd, [...suite, '--json']);
    expect(first.stderr).toContain(`created ${join(cwd, '.icecore')}`);
    expect(first.stderr).toContain(`recorded ${lakes} answers in sqlite:${join(cwd, '.icecore')}`);
    expect(endpoint.seen).toHaveLength(lakes);
    const result = evaluationIn(first);
    expect(result.policy).toMatchObject({ name: 'gpt', parameters: { kind: 'language', model: served } });
    expect(result.results).toContainEqual(expect.objectContaining({ measure: 'cost/USD', count: lakes }));
    expect(result.measured.latencyMs).toEqual({ median: expect.any(Number), p95: expect.any(Number) });
    const again = await evaluate(cwd, [...suite, '--json']);
    expect(again.stderr).toContain(
      `recorded 0 answers in sqlite:${join(cwd, '.icecore', 'ledger.db')}, ${lakes} were recorded already`,
    );
    expect(endpoint.seen).toHaveLength(lakes);
    expect(lasting(evaluationIn(again))).toEqual(lasting(result));
    expect(await icecore(['verify', '-q'], { cwd })).toMatchObject({ code: 0 });
  });

  it('is announced with the number of questions and their maximum cost', async () => {
    const { stderr } = await evaluate(project(), [...suite, '--samples', '2']);
    // The prompt is some 1,200 bytes, so at most as many tokens, at 1 USD per million, and 64 tokens of answer at 4 USD.
    expect(stderr).toMatch(
      /^gpt has 32 questions to answer, for 0\.0\d+ USD at most; recorded answers cost nothing again$/m,
    );
    const unlimited = await evaluate(project({ parameters: {} }));
    expect(unlimited.stderr).toContain('for any amount: no max_tokens limits its answers');
    const free = await evaluate(project({ prices: undefined }));
    expect(free.stderr).toContain('gpt has 16 questions to answer; recorded');
  });

  it('is asked for its best answer, or with --sampled for samples', async () => {
    const cwd = project();
    await evaluate(cwd);
    expect(endpoint.seen.map(({ body }) => [body['temperature'], body['seed']])).toEqual(
      Array.from({ length: lakes }, () => [0, undefined]),
    );
    endpoint.script(wellBehaved(mind));
    await evaluate(cwd, [...suite, '--sampled', '--samples', '3']);
    const asked = endpoint.seen.map(({ body }) => `${body['seed']} ${promptIn(body)}`);
    expect(new Set(asked).size).toBe(3 * lakes);
    expect(endpoint.seen.some(({ body }) => 'temperature' in body)).toBe(false);
  });

  it('has its answer and the key of the recorded answer in every rollout', async () => {
    const cwd = project();
    await evaluate(cwd, [...suite, '--rollouts', 'all.ndjson']);
    const { stdout } = await icecore(['lake', 'judge', 'all.ndjson'], { cwd });
    const rollouts = lines(readFileSync(join(cwd, 'all.ndjson'), 'utf8')).map((one) => JSON.parse(one) as LakeRollout);
    expect(lines(stdout)).toHaveLength(lakes);
    for (const rollout of rollouts) {
      expect(faultsAgainst('lake-rollout', rollout)).toEqual([]);
      expect(rollout).toMatchObject({ finishReason: 'stop', tokens: { input: expect.any(Number) } });
      expect(rollout.completion).toContain('{"plan"');
    }
    const stream = `answer-${rollouts[0]?.modelAnswer}`;
    const tailed = await icecore(['event', 'tail', '--stream', stream, '--json'], { cwd });
    expect(JSON.parse(tailed.stdout)).toMatchObject({ type: 'ModelAnswered', data: { key: rollouts[0]?.modelAnswer } });
  });

  it('is compared with rules on the same lakes, with its cost', async () => {
    const cwd = project();
    const argv = ['lake', 'leaderboard', 'gpt', 'greedy', ...suite];
    const { rows } = leaderboardIn(await icecore([...argv, '--json'], { cwd, env }));
    expect(rows.map(({ named }) => named)).toEqual(['greedy', 'gpt']);
    expect(rows[1]?.spent).toContainEqual(expect.objectContaining({ measure: 'cost/USD' }));
    const { stdout } = await icecore(argv, { cwd, env });
    expect(stdout).toMatch(/cost\n/);
    expect(stdout).toMatch(/^gpt .* USD$/m);
  });
});

describe('a policy that cannot be asked is reported before anything is created:', () => {
  it.each([
    [
      'no key',
      {},
      { ICECORE_TRUST: '*' },
      'the environment variable THE_KEY, which has the key of the model gpt, is not set',
    ],
    ['no prices under a cap', { prices: undefined }, env, 'there is a spending cap, and the model gpt has no prices'],
    ['no limit under a cap', { parameters: {} }, env, 'there is a spending cap, and the model gpt has no limit'],
  ])('%s', async (_, more, variables, message) => {
    const cwd = project(more);
    const ran = await evaluate(cwd, [...suite, '--spending-cap', '1', '--json'], { env: variables });
    expect(faultIn(ran)['message']).toContain(message);
    expect(existsSync(join(cwd, '.icecore'))).toBe(false);
    expect(endpoint.seen).toEqual([]);
  });

  it('an unknown name, with suggestions', async () => {
    const ran = await icecore(['lake', 'evaluate', 'gtp', '--json'], { cwd: project(), env });
    expect(faultIn(ran, 2)).toMatchObject({ kind: 'not-found', remedy: 'Did you mean gpt?' });
  });

  it('a checkpoint of a model without checkpoints', async () => {
    const ran = await icecore(['lake', 'evaluate', 'gpt:stage-2', '--json'], { cwd: project(), env });
    expect(faultIn(ran)).toMatchObject({ kind: 'bad-input', found: 'the checkpoint stage-2' });
  });
});

describe('an endpoint that fails', () => {
  it.each([
    ['refuses the key', status(401, { error: { message: 'who?' } }), 'it does not accept the key in THE_KEY'],
    ['answers with a page', status(200, '<html>Welcome</html>'), 'instead of JSON'],
    ['has no choices', status(200, { choices: [] }), 'an empty list of choices'],
    ['has no quota left', status(429, { error: { code: 'insufficient_quota' } }), 'gpt at http'],
    ['does not have the model', status(404, { error: { message: 'no such model' } }), 'no such model'],
  ] as [string, Reply, string][])(
    'for every request, because it %s, ends the evaluation',
    async (_, reply, message) => {
      endpoint.replies(reply);
      const ran = await evaluate(project(), [...suite, '--json']);
      expect(faultIn(ran)['message']).toContain(message);
      expect(ran.stderr).toContain('recorded 0 answers');
    },
  );

  it('that does not use TLS is reported at once', async () => {
    const ran = await evaluate(project({ url: endpoint.url.replace('http:', 'https:') }), [...suite, '--json']);
    expect(faultIn(ran)['message']).toContain('the server does not use TLS');
  });

  it('for some requests leaves those attempts unjudged, and the next command retries them', async () => {
    const good = wellBehaved(mind);
    endpoint.script((i, seen) => (i % 4 === 1 ? status(200, '<html>busy</html>') : good(i, seen)));
    const cwd = project();
    const spoiltRun = await evaluate(cwd, [...suite, '--json', '--rollouts', 'all.ndjson']);
    const result = evaluationIn(spoiltRun);
    expect(result.faults).toMatchObject([{ kind: 'not-json', count: 4 }]);
    expect(countIn(result, 'valid')).toMatch(/ of 12$/);
    const spoilt = lines(readFileSync(join(cwd, 'all.ndjson'), 'utf8')).map((one) => JSON.parse(one) as LakeRollout);
    expect(spoilt.filter(({ fault }) => fault !== undefined)).toHaveLength(4);
    for (const rollout of spoilt) expect(faultsAgainst('lake-rollout', rollout)).toEqual([]);
    expect(spoiltRun.stderr).toContain('of 16 rollouts of gpt, 4 could not be judged; the same command retries them');
    endpoint.script(good);
    const shown = await evaluate(cwd);
    expect(endpoint.seen).toHaveLength(4);
    expect(shown.stdout).not.toContain('no evidence');
  });

  it('for one request has the fault listed separately', async () => {
    const good = wellBehaved(mind);
    endpoint.script((i, seen) => (i === 3 ? status(200, '<html>busy</html>') : good(i, seen)));
    const { stdout } = await evaluate(project());
    expect(stdout).toMatch(/^no evidence +times +the first\nnot-json +1 +the model gpt at .*: it answers a page/m);
  });

  it('for every lake makes the command fail without a rate', async () => {
    endpoint.replies(status(200, '<html>busy</html>'));
    const few = ['--agents', '2', '--count', '5'];
    const ran = await evaluate(project(), few);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^valid +- +0 +0$/m);
    expect(ran.stderr).toContain('of 5 rollouts of gpt, none could be judged');
    expect((await icecore(['lake', 'leaderboard', 'gpt', 'greedy', ...few], { cwd: project(), env })).code).toBe(1);
  });

  it('does not include refusals, which count as answers of the model', async () => {
    endpoint.replies(answerReply('', { message: { refusal: 'I would rather not.' } }));
    const result = evaluationIn(await evaluate(project(), [...suite, '--json']));
    expect(result.failures.map((one) => one.class)).toContain('parse-error');
    expect(result.faults).toEqual([]);
  });
});

describe('answers stay recorded', () => {
  it('when a cap is reached, and the same command continues', async () => {
    const cwd = project({ concurrency: 1 });
    // 64 tokens of answer and the request cost at most 0.001 USD, 5 tokens of answer far less.
    const capped = await evaluate(cwd, [...suite, '--spending-cap', '0.004', '--json']);
    expect(faultIn(capped)['message']).toMatch(/are spent, and the next answer may cost/);
    const before = endpoint.seen.length;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(lakes);
    expect(capped.stderr).toMatch(
      new RegExp(`recorded ${before} answers? in .*; the same command continues from there`),
    );
    evaluationIn(await evaluate(cwd, [...suite, '--spending-cap', '1', '--json']));
    expect(endpoint.seen).toHaveLength(lakes);
  });

  it('when it is stopped', async () => {
    const cwd = project({ concurrency: 1 });
    const stop = new AbortController();
    const good = wellBehaved(mind);
    endpoint.script((i, seen) => (i < 5 ? good(i, seen) : () => stop.abort('SIGINT')));
    const stopped = await evaluate(cwd, suite, { signal: stop.signal });
    expect(stopped).toMatchObject({ code: 130, stdout: '' });
    expect(stopped.stderr).toContain('recorded 5 answers in');
    expect(stopped.stderr).toContain('; the same command continues from there\nicecore: stopped by SIGINT');
    endpoint.script(good);
    await evaluate(cwd);
    expect(endpoint.seen).toHaveLength(lakes - 5);
  });

  it('once when two processes evaluate the same, and both report the first answers', async () => {
    const cwd = project();
    const good = wellBehaved((prompt, body) => `${mind(prompt, body)} `.repeat(1 + (endpoint.seen.length % 7)));
    endpoint.script(good);
    const both = await Promise.all([1, 2].map(() => evaluate(cwd, [...suite, '--json'])));
    const [one, two] = both.map((ran) => lasting(evaluationIn(ran)));
    expect(two).toEqual(one);
    const { stdout } = await icecore(['event', 'tail', '--type', 'ModelAnswered', '-n', '100', '--json'], { cwd });
    expect(lines(stdout)).toHaveLength(lakes);
  });
});

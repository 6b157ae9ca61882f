// All kinds of invalid responses: each gives a distinct fault with a clear message, never shows the key, and is retried
// only if that may help.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BadRequest,
  Forbidden,
  type ModelFault,
  NoAnswer,
  NotJson,
  QuotaSpent,
  RateLimited,
  Redirected,
  ServerFailed,
  Unauthorised,
} from './faults.ts';
import { Secret } from './secret.ts';
import { answerReply, completion, Endpoint, piece, type Reply, status, streams } from './testing/endpoint.ts';
import { again, faultOf, notAgain } from './testing/fault-of.ts';
import { modelAt, question } from './testing/models.ts';

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await Endpoint.start();
});
afterAll(() => endpoint.stop());

const key = 'sk-very-secret';

describe('an error response', () => {
  const error = (message: string, more: object = {}): object => ({ error: { message, ...more } });

  it.each<[string, Reply, abstract new (...args: never[]) => ModelFault, string, number]>([
    ['401', status(401, error(`Incorrect API key provided: ${key}`)), Unauthorised, 'the key in THE_KEY', notAgain],
    [
      '400 for an invalid key, as Google reports it',
      status(400, [{ error: { code: 400, message: 'API key not valid', details: [{ reason: 'API_KEY_INVALID' }] } }]),
      Unauthorised,
      'the key in THE_KEY',
      notAgain,
    ],
    ['403', status(403, error('not in your country')), Forbidden, 'THE_KEY; status 403: not in your country', notAgain],
    ['400', status(400, error('max_tokens is too large')), BadRequest, 'status 400: max_tokens is too large', notAgain],
    [
      '400 as FastAPI reports it',
      status(400, { detail: [{ loc: ['body'] }] }),
      BadRequest,
      '[{"loc":["body"]}]',
      notAgain,
    ],
    ['404 for a model', status(404, error('The model `x` does not exist.')), BadRequest, 'The model `x`', notAgain],
    [
      '404 as a page',
      status(404, '<html><title>Not</title> <b>found</b></html>'),
      BadRequest,
      'a page: Not found',
      notAgain,
    ],
    ['402', status(402, error('pay first')), QuotaSpent, 'pay first', notAgain],
    [
      '429 for a spent quota',
      status(429, error('no', { code: 'insufficient_quota' })),
      QuotaSpent,
      'insufficient_quota',
      notAgain,
    ],
    ['429', status(429, error('slow down')), RateLimited, 'status 429: slow down', again],
    ['500', status(500, error('oh no')), ServerFailed, 'status 500: oh no', again],
    ['502 as a page of a gateway', status(502, '<h1>Bad Gateway</h1>'), ServerFailed, 'Bad Gateway', again],
    ['503 without a body', status(503), ServerFailed, '(status 503)', again],
    ['501', status(501, 'never'), BadRequest, 'status 501: never', notAgain],
    ['an error with status 200', status(200, error('upstream', { code: 503 })), ServerFailed, '503: upstream', again],
    [
      'an error in the middle of a stream',
      streams(piece({ content: 'a' }), error('late')),
      ServerFailed,
      'late',
      again,
    ],
  ])('%s', async (_, reply, fault, words, asked) => {
    const found = await faultOf(endpoint, reply);
    expect(found.fault).toBeInstanceOf(fault);
    expect(found.fault.message).toContain(words);
    expect(found.asked).toBe(asked);
  });

  it.each([301, 302, 307, 308])('%i: the redirect is not followed', async (code) => {
    const { fault, asked } = await faultOf(
      endpoint,
      status(code, '', { location: 'https://elsewhere.example/v1?token=abc' }),
    );
    expect(fault).toBeInstanceOf(Redirected);
    expect(fault.message).toContain('it redirects to https://elsewhere.example/v1; redirects are not followed');
    expect(asked).toBe(notAgain);
  });

  it('has facts, a kind and a remedy', async () => {
    const { fault } = await faultOf(endpoint, status(404, error('The model `x` does not exist.')));
    expect(fault).toMatchObject({
      fault: 'bad-request',
      kind: 'bad-input',
      facts: { model: 'local', url: endpoint.url, status: 404, says: 'The model `x` does not exist.' },
    });
    expect(fault.remedy).toContain('/v1');
  });
});

describe('every fault of an endpoint', () => {
  const cut: Reply = (response) => response.writeHead(200).write('{', () => response.destroy());

  it.each<[string, Reply]>([
    ['403', status(403)],
    ['500', status(500)],
    ['an answer that breaks off', cut],
    ['an answer that is too large', status(200, `"${'x'.repeat(11 * 1024 * 1024)}"`)],
    ['a response without an answer', status(200, { choices: [] })],
  ])('says what to do: %s', async (_, reply) => {
    const { fault } = await faultOf(endpoint, reply);
    expect(fault.remedy).toMatch(/^[A-Z].*\.$/);
  });
});

describe('an unreadable response', () => {
  it.each<[string, Reply, string]>([
    [
      'a page',
      status(200, '<!doctype html><p>Log in', { 'content-type': 'text/html' }),
      'a page instead of JSON (text/html)',
    ],
    ['a text', status(200, 'ready'), 'something else instead of JSON (text/plain): "ready"'],
    ['nothing', status(200), 'nothing instead of JSON'],
    ['a number', status(200, '42', { 'content-type': 'application/json' }), 'something else'],
    ['a stream in another format', streams('hello'), 'a stream in another format'],
  ])('%s', async (_, reply, words) => {
    const { fault, asked } = await faultOf(endpoint, reply);
    expect(fault).toBeInstanceOf(NotJson);
    expect(fault.message).toContain(words);
    expect(asked).toBe(notAgain);
  });

  it.each<[string, object, string]>([
    ['no choices', { choices: [] }, 'an empty list of choices'],
    ['something else', { text: 'four' }, 'no list of choices'],
    ['a choice without content', { choices: [{}] }, 'a choice without a message'],
  ])('%s', async (_, body, words) => {
    const { fault, asked } = await faultOf(endpoint, status(200, body));
    expect(fault).toBeInstanceOf(NoAnswer);
    expect(fault.message).toContain(words);
    expect(asked).toBe(notAgain);
  });

  it('with JSON under a wrong content type, or with an unexpected stream, is read anyway', async () => {
    endpoint.replies(status(200, JSON.stringify(completion('four')), { 'content-type': 'text/html' }));
    expect((await modelAt(endpoint.url).ask(question())).answer).toBe('four');
    endpoint.replies(
      streams(piece({ role: 'assistant' }), piece({ content: 'fo' }), piece({ content: 'ur' }, 'stop'), '[DONE]'),
    );
    expect(await modelAt(endpoint.url).ask(question())).toMatchObject({ answer: 'four', finishReason: 'stop' });
  });

  it('with NaN in its usage loses only that count', async () => {
    const text = JSON.stringify(completion('it is "NaN", not Infinity')).replace(
      '"prompt_tokens":12',
      '"prompt_tokens":NaN',
    );
    endpoint.replies(status(200, text));
    const { answer, usage } = await modelAt(endpoint.url).ask(question());
    expect({ answer, usage }).toEqual({ answer: 'it is "NaN", not Infinity', usage: { output: 5 } });
  });
});

describe('the key', () => {
  it('is sent, but never shown, even if the endpoint repeats it', async () => {
    for (const code of [400, 401, 403, 404, 429, 500]) {
      const echo: Reply = (response, { headers }) =>
        status(code, { error: { message: `no: ${headers.authorization}` } })(response, {} as never);
      const { fault } = await faultOf(endpoint, echo);
      expect(endpoint.seen[0]?.headers.authorization).toBe(`Bearer ${key}`);
      const texts = [
        fault.message,
        fault.remedy,
        fault.stack,
        JSON.stringify(fault.facts),
        JSON.stringify(fault),
      ].join();
      expect(texts).not.toContain('very-secret');
    }
    const { fault } = await faultOf(endpoint, status(400, `wrong key: sk-v${'*'.repeat(8)}cret`));
    expect(fault.message).not.toContain('cret');
    const page = await faultOf(endpoint, status(200, `<p>${key}`));
    expect(page.fault.message).toContain('[THE_KEY]');
    expect(JSON.stringify(page.fault.facts)).not.toContain('very-secret');
  });

  it('is not shown from the target of a redirect, a content type or the start of a stream', async () => {
    for (const reply of [
      status(307, '', { location: `https://elsewhere.example/${key}/v1` }),
      status(200, 'ready', { 'content-type': `text/${key}` }),
      streams(`no: ${key}`),
    ]) {
      const { fault } = await faultOf(endpoint, reply);
      const { message, facts } = fault;
      expect(JSON.stringify({ message, facts })).not.toContain('very-secret');
      expect(message).toContain('[THE_KEY]');
    }
  });

  it('is replaced in an answer, its reasoning and the name of its model, which are recorded', async () => {
    const echo = { ...completion(`it is ${key}.`, { message: { reasoning: `***say ${key}` } }), model: `m-${key}` };
    endpoint.replies(status(200, echo));
    const { answer, reasoning, model } = await modelAt(endpoint.url).ask(question());
    expect({ answer, reasoning, reported: model.reported }).toEqual({
      answer: 'it is [THE_KEY].',
      reasoning: '***say [THE_KEY]',
      reported: 'm-[THE_KEY]',
    });
  });

  it('that is a placeholder, such as EMPTY, may be part of an answer', async () => {
    endpoint.replies(answerReply('the EMPTY set'));
    const placeholder = modelAt(endpoint.url, {}, { secret: new Secret('THE_KEY', 'EMPTY') });
    expect((await placeholder.ask(question())).answer).toBe('the EMPTY set');
  });
});

// An endpoint that does everything wrong that can be done wrong: each way is told apart, says what it was, and neither
// shows the key nor is asked again where that helps nothing.
import { once } from 'node:events';
import { globalAgent } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NoAnswer, NotJson } from './faults/answers.ts';
import { CutShort, NotHttp, Redirected, TimedOut, TooLarge, Unreachable } from './faults/connection.ts';
import { ModelFault } from './faults/fault.ts';
import { BadRequest, Forbidden, QuotaSpent, RateLimited, ServerFailed, Unauthorised } from './faults/refusing.ts';
import { completion, Endpoint, piece, type Reply, resets, says, silent, status, streams } from './testing/endpoint.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { modelAt, question } from './testing/models.ts';

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await Endpoint.start();
});
afterAll(() => endpoint.stop());
// A connection that was kept and is closed now is made anew at once, which is one more question than attempts.
beforeEach(() => globalAgent.destroy());

/** The fault it ends with, and how often it was asked until then. */
async function faultOf(reply: Reply, more: object = {}): Promise<{ fault: ModelFault; asked: number }> {
  endpoint.replies(reply);
  const model = modelAt(endpoint.url, more, { clock: new FakeClock() });
  const fault = await model.ask(question()).then(
    (answered) => expect.fail(`it answered ${answered.answer}`),
    (error: unknown) => error,
  );
  expect(fault).toBeInstanceOf(ModelFault);
  return { fault: fault as ModelFault, asked: endpoint.seen.length };
}

const notAgain = 1;
const again = 8;
const key = 'sk-very-secret';

/** Raw bytes on a connection that is closed after them. */
async function talking(bytes: string): Promise<{ server: Server; url: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(bytes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

describe('what is said instead of an answer', () => {
  const error = (message: string, more: object = {}): object => ({ error: { message, ...more } });

  it.each<[string, Reply, abstract new (...args: never[]) => ModelFault, string, number]>([
    ['401', status(401, error(`Incorrect API key provided: ${key}`)), Unauthorised, 'the key in THE_KEY', notAgain],
    [
      '400 for a key that Google does not know',
      status(400, [{ error: { code: 400, message: 'API key not valid', details: [{ reason: 'API_KEY_INVALID' }] } }]),
      Unauthorised,
      'the key in THE_KEY',
      notAgain,
    ],
    ['403', status(403, error('not in your country')), Forbidden, 'THE_KEY; status 403: not in your country', notAgain],
    ['400', status(400, error('max_tokens is too large')), BadRequest, 'status 400: max_tokens is too large', notAgain],
    [
      '400 in the words of FastAPI',
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
      '429 for money',
      status(429, error('no', { code: 'insufficient_quota' })),
      QuotaSpent,
      'insufficient_quota',
      notAgain,
    ],
    ['429', status(429, error('slow down')), RateLimited, 'status 429: slow down', again],
    ['500', status(500, error('oh no')), ServerFailed, 'status 500: oh no', again],
    ['502 as a page of a gateway', status(502, '<h1>Bad Gateway</h1>'), ServerFailed, 'Bad Gateway', again],
    ['503 without a word', status(503), ServerFailed, '(status 503)', again],
    ['501', status(501, 'never'), BadRequest, 'status 501: never', notAgain],
    [
      'an error as if all were well',
      status(200, error('upstream', { code: 503 })),
      ServerFailed,
      '503: upstream',
      again,
    ],
    [
      'an error in the middle of a stream',
      streams(piece({ content: 'a' }), error('late')),
      ServerFailed,
      'late',
      again,
    ],
  ])('%s', async (_, reply, fault, words, asked) => {
    const found = await faultOf(reply);
    expect(found.fault).toBeInstanceOf(fault);
    expect(found.fault.message).toContain(words);
    expect(found.asked).toBe(asked);
  });

  it.each([301, 302, 307, 308])('%i: the question does not go elsewhere, nor does the key', async (code) => {
    const { fault, asked } = await faultOf(status(code, '', { location: 'https://elsewhere.example/v1?token=abc' }));
    expect(fault).toBeInstanceOf(Redirected);
    expect(fault.message).toContain('it sends to https://elsewhere.example/v1, ');
    expect(asked).toBe(notAgain);
  });

  it('a fault has its facts, its kind and what to do', async () => {
    const { fault } = await faultOf(status(404, error('The model `x` does not exist.')));
    expect(fault).toMatchObject({
      fault: 'bad-request',
      kind: 'bad-input',
      facts: { model: 'local', url: endpoint.url, status: 404, says: 'The model `x` does not exist.' },
    });
    expect(fault.remedy).toContain('/v1');
  });
});

describe('what cannot be read as an answer', () => {
  it.each<[string, Reply, string]>([
    [
      'a page',
      status(200, '<!doctype html><p>Log in', { 'content-type': 'text/html' }),
      'a page instead of JSON (text/html)',
    ],
    ['a text', status(200, 'ready'), 'something else instead of JSON (text/plain): "ready"'],
    ['nothing', status(200), 'nothing instead of JSON'],
    ['a number', status(200, '42', { 'content-type': 'application/json' }), 'something else'],
    ['a stream of something else', streams('hello'), 'a stream of something else'],
  ])('%s', async (_, reply, words) => {
    const { fault, asked } = await faultOf(reply);
    expect(fault).toBeInstanceOf(NotJson);
    expect(fault.message).toContain(words);
    expect(asked).toBe(notAgain);
  });

  it.each<[string, object, string]>([
    ['no choices', { choices: [] }, 'an empty list of choices'],
    ['something else', { text: 'four' }, 'no list of choices'],
    ['a choice that says nothing', { choices: [{}] }, 'a choice without a message'],
  ])('%s', async (_, body, words) => {
    const { fault, asked } = await faultOf(status(200, body));
    expect(fault).toBeInstanceOf(NoAnswer);
    expect(fault.message).toContain(words);
    expect(asked).toBe(notAgain);
  });

  it('JSON under a wrong content type is read all the same, and so is a stream nobody asked for', async () => {
    endpoint.replies(status(200, JSON.stringify(completion('four')), { 'content-type': 'text/html' }));
    expect((await modelAt(endpoint.url).ask(question())).answer).toBe('four');
    endpoint.replies(
      streams(piece({ role: 'assistant' }), piece({ content: 'fo' }), piece({ content: 'ur' }, 'stop'), '[DONE]'),
    );
    expect(await modelAt(endpoint.url).ask(question())).toMatchObject({ answer: 'four', finishReason: 'stop' });
  });

  it('NaN in what it counts spoils nothing but the count', async () => {
    const text = JSON.stringify(completion('it is "NaN", not Infinity')).replace(
      '"prompt_tokens":12',
      '"prompt_tokens":NaN',
    );
    endpoint.replies(status(200, text));
    const { answer, usage } = await modelAt(endpoint.url).ask(question());
    expect({ answer, usage }).toEqual({ answer: 'it is "NaN", not Infinity', usage: { output: 5 } });
  });
});

describe('a connection', () => {
  it('that nobody takes', async () => {
    const { server, url } = await talking('');
    await new Promise((resolve) => server.close(resolve));
    const clock = new FakeClock();
    const asking = modelAt(url, {}, { clock }).ask(question());
    await expect(asking).rejects.toThrow(Unreachable);
    await expect(asking).rejects.toThrow('nobody listens there (ECONNREFUSED) (8 attempts)');
    expect(clock.pauses).toHaveLength(7);
  });

  it('to a host that there is not', async () => {
    const asking = modelAt('http://no-such-host.invalid/v1', {}, { clock: new FakeClock() }).ask(question());
    await expect(asking).rejects.toMatchObject({ fault: 'unreachable' });
  });

  it('that breaks before there is an answer', async () => {
    const { fault, asked } = await faultOf(resets);
    expect(fault).toBeInstanceOf(Unreachable);
    expect(fault.message).toContain('the connection broke before there was an answer');
    expect(asked).toBe(again);
  });

  it('that is closed while it is kept for the next question is made anew at once', async () => {
    endpoint.script((index) => (response, seen) => {
      says('four')(response, seen);
      if (index === 0) response.on('finish', () => setImmediate(() => seen.socket.destroy()));
    });
    const clock = new FakeClock();
    const model = modelAt(endpoint.url, {}, { clock });
    for (let sample = 0; sample < 5; sample++) {
      expect((await model.ask(question('and?', { sample }))).answer).toBe('four');
    }
    expect(clock.pauses).toEqual([]);
  });

  it.each<[string, Reply]>([
    [
      'a length that is not reached',
      (response) => response.writeHead(200, { 'content-length': 99 }).write('{"ch', () => response.destroy()),
    ],
    ['a piece that is not the last', (response) => response.writeHead(200).write('{"ch', () => response.destroy())],
    ['JSON that has no end', status(200, JSON.stringify(completion('four')).slice(0, -30))],
    ['a stream without an end', streams(piece({ content: 'fo' }))],
    [
      'a stream that ends in the middle of a piece',
      (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"choi'),
    ],
  ])('that breaks in the middle of the answer: %s', async (_, reply) => {
    const { fault, asked } = await faultOf(reply);
    expect(fault).toBeInstanceOf(CutShort);
    expect(fault.message).toMatch(/broke off after \d+ bytes/);
    expect(asked).toBe(again);
  });

  it('on which something else is spoken than HTTP', async () => {
    const { server, url } = await talking('220 mail.example ESMTP\r\n');
    const asking = modelAt(url, {}, { clock: new FakeClock() }).ask(question());
    await expect(asking).rejects.toThrow(NotHttp);
    server.close();
  });

  it('on which no TLS is spoken, where there should be', async () => {
    const asking = modelAt(endpoint.url.replace('http:', 'https:'), {}, { clock: new FakeClock() }).ask(question());
    await expect(asking).rejects.toThrow('it does not speak TLS there: http instead of https?');
    await expect(asking).rejects.not.toThrow('attempts');
  });
});

describe('an answer that is too large', () => {
  const flood =
    (head: string, body: string): Reply =>
    (response) => {
      response.writeHead(200, { 'content-type': head });
      const more = (): void => {
        while (!response.destroyed && response.write(body));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
  const large = 'x'.repeat(1_000_000);

  it.each<[string, Reply]>([
    ['in one piece', flood('application/json', large)],
    ['in a line without an end', flood('text/event-stream', `data: ${large}`)],
    ['in pieces without an end', flood('text/event-stream', `data: ${JSON.stringify(piece({ content: large }))}\n\n`)],
    ['in its head', status(200, '', { 'x-much': 'y'.repeat(40_000) })],
  ])('%s', async (_, reply) => {
    const { fault, asked } = await faultOf(reply);
    expect(fault).toBeInstanceOf(TooLarge);
    expect(asked).toBe(notAgain);
  });

  it('is told by its beginning, where it is a refusal', async () => {
    const { fault } = await faultOf(status(400, `no: ${large}`));
    expect(fault.message).toContain('status 400: no: xxx');
    expect(fault.message.length).toBeLessThan(500);
  });
});

describe('an answer that does not come', () => {
  const late = async (reply: Reply, more: object, ms: number): Promise<{ fault: unknown; open: number }> => {
    endpoint.replies(reply);
    const clock = new FakeClock();
    const asking = modelAt(endpoint.url, more, { clock })
      .ask(question())
      .catch((error: unknown) => error);
    await endpoint.arrived();
    clock.advance(ms);
    return { fault: await asking, open: clock.alarms };
  };

  it('does not begin', async () => {
    const { fault, open } = await late(silent, {}, 2_000_000);
    expect(fault).toBeInstanceOf(TimedOut);
    expect((fault as TimedOut).facts).toMatchObject({ waited: 'firstByte', seconds: 2000 });
    expect({ asked: endpoint.seen.length, open }).toEqual({ asked: notAgain, open: 0 });
  });

  it('drips', async () => {
    const drip: Reply = (response) => {
      const timer = setInterval(() => response.write(' '), 1);
      response.on('close', () => clearInterval(timer));
    };
    endpoint.replies(drip);
    const clock = new FakeClock();
    const asking = modelAt(endpoint.url, {}, { clock })
      .ask(question())
      .catch((error: unknown) => error);
    while (clock.alarms !== 1 || endpoint.seen.length === 0) await new Promise(setImmediate);
    clock.advance(3_000_000);
    expect(await asking).toMatchObject({ fault: 'timeout', facts: { waited: 'whole', seconds: 3000 } });
  });

  it('because the connection is never complete is tried again', async () => {
    let connections = 0;
    const clock = new FakeClock();
    // It takes the connection and says nothing, where TLS begins with a word from both sides.
    const server = createServer((socket) => {
      socket.on('error', () => {});
      connections += 1;
      clock.advance(1_000_000);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const asking = modelAt(url, {}, { clock }).ask(question());
    await expect(asking).rejects.toThrow('no connection within 1000 s (8 attempts)');
    expect(connections).toBe(again);
    server.close();
  });
});

describe('the key', () => {
  it('is sent, and is in nothing that is told, not even where the endpoint repeats it', async () => {
    for (const code of [400, 401, 403, 404, 429, 500]) {
      const echo: Reply = (response, { headers }) =>
        status(code, { error: { message: `no: ${headers.authorization}` } })(response, {} as never);
      const { fault } = await faultOf(echo);
      expect(endpoint.seen[0]?.headers.authorization).toBe(`Bearer ${key}`);
      const told = [
        fault.message,
        fault.remedy,
        fault.stack,
        JSON.stringify(fault.facts),
        JSON.stringify(fault),
      ].join();
      expect(told).not.toContain('very-secret');
    }
    const { fault } = await faultOf(status(400, `wrong key: sk-v${'*'.repeat(8)}cret`));
    expect(fault.message).not.toContain('cret');
    const page = await faultOf(status(200, `<p>${key}`));
    expect(page.fault.message).toContain('[THE_KEY]');
    expect(JSON.stringify(page.fault.facts)).not.toContain('very-secret');
  });
});

// Connections that fail, break or never end.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CutShort, NotHttp, TimedOut, TooLarge, Unreachable } from './faults.ts';
import {
  answerReply,
  completion,
  Endpoint,
  piece,
  type Reply,
  resets,
  silent,
  status,
  streams,
} from './testing/endpoint.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { again, faultOf, notAgain } from './testing/fault-of.ts';
import { modelAt, question } from './testing/models.ts';

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await Endpoint.start();
});
afterAll(() => endpoint.stop());

/** Raw bytes, after which the connection is closed. */
async function talking(bytes: string): Promise<{ server: Server; url: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(bytes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

describe('a connection', () => {
  it('that is refused is an error after retries', async () => {
    const { server, url } = await talking('');
    await new Promise((resolve) => server.close(resolve));
    const clock = new FakeClock();
    const asking = modelAt(url, {}, { clock }).ask(question());
    await expect(asking).rejects.toThrow(Unreachable);
    await expect(asking).rejects.toThrow('connection refused: no server listens there (ECONNREFUSED) (8 attempts)');
    expect(clock.pauses).toHaveLength(7);
  });

  it('to an unknown host is an error', async () => {
    const asking = modelAt('http://no-such-host.invalid/v1', {}, { clock: new FakeClock() }).ask(question());
    await expect(asking).rejects.toMatchObject({ fault: 'unreachable' });
  });

  it('that closes before the response is retried', async () => {
    const { fault, asked } = await faultOf(endpoint, resets);
    expect(fault).toBeInstanceOf(Unreachable);
    expect(fault.message).toContain('the connection closed before the response');
    expect(asked).toBe(again);
  });

  it('that was kept alive and closed is reopened at once', async () => {
    endpoint.script((index) => (response, seen) => {
      answerReply('four')(response, seen);
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
      'fewer bytes than its content length',
      (response) => response.writeHead(200, { 'content-length': 99 }).write('{"ch', () => response.destroy()),
    ],
    ['a chunk that is not the last', (response) => response.writeHead(200).write('{"ch', () => response.destroy())],
    ['incomplete JSON', status(200, JSON.stringify(completion('four')).slice(0, -30))],
    ['a stream without an end', streams(piece({ content: 'fo' }))],
    [
      'a stream that ends in the middle of a piece',
      (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"choi'),
    ],
  ])('that closes in the middle of the response is retried: %s', async (_, reply) => {
    const { fault, asked } = await faultOf(endpoint, reply);
    expect(fault).toBeInstanceOf(CutShort);
    expect(fault.message).toMatch(/its response ended early after \d+ bytes/);
    expect(asked).toBe(again);
  });

  it.each([
    ['another protocol', '220 mail.example ESMTP\r\n'],
    ['a switch to another protocol', 'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n'],
  ])('with a response that is not HTTP is an error: %s', async (_, says) => {
    const { server, url } = await talking(says);
    const asking = modelAt(url, {}, { clock: new FakeClock() }).ask(question());
    await expect(asking).rejects.toThrow(NotHttp);
    server.close();
  });

  it('without TLS where TLS is expected is an error without retries', async () => {
    const asking = modelAt(endpoint.url.replace('http:', 'https:'), {}, { clock: new FakeClock() }).ask(question());
    await expect(asking).rejects.toThrow('the server does not use TLS: http instead of https?');
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
  ])('is an error without retries: %s', async (_, reply) => {
    const { fault, asked } = await faultOf(endpoint, reply);
    expect(fault).toBeInstanceOf(TooLarge);
    expect(asked).toBe(notAgain);
  });

  it('in an error response is truncated in the message', async () => {
    const { fault } = await faultOf(endpoint, status(400, `no: ${large}`));
    expect(fault.message).toContain('status 400: no: xxx');
    expect(fault.message.length).toBeLessThan(500);
  });
});

describe('an answer that does not arrive', () => {
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

  it('at all is a timeout, and is not retried', async () => {
    const { fault, open } = await late(silent, {}, 2_000_000);
    expect(fault).toBeInstanceOf(TimedOut);
    expect((fault as TimedOut).facts).toMatchObject({ waited: 'firstByte', seconds: 2000 });
    expect({ asked: endpoint.seen.length, open }).toEqual({ asked: notAgain, open: 0 });
  });

  it('completely is a timeout', async () => {
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

  it('because the TLS handshake never completes is retried', async () => {
    let connections = 0;
    const clock = new FakeClock();
    // The server accepts the connection and stays silent, while TLS needs both sides.
    const server = createServer((socket) => {
      socket.on('error', () => {});
      connections += 1;
      clock.advance(1_000_000);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const asking = modelAt(url, {}, { clock }).ask(question());
    await expect(asking).rejects.toThrow('could not connect within 1000 s (8 attempts)');
    expect(connections).toBe(again);
    server.close();
  });
});

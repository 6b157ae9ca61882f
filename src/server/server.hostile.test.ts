// Attacks on the server over real sockets: malformed requests, floods, clients that never read. It responds with an
// error or closes, limits its memory, and serves the next client.
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { placeWithTables } from '../cli/runs/testing/looking.ts';
import { ndjson, sentNote } from '../cli/testing/events.ts';
import { rolloutIn } from '../ledger/contract/samples.ts';
import type { Limits } from './app.ts';
import { type RunningServer, startServer } from './server.ts';
import { ThreadBackend } from './thread-backend.ts';

async function started(limits: Partial<Limits> = {}): Promise<{ server: RunningServer; url: string; port: number }> {
  const { cwd } = await placeWithTables();
  const options = { cwd, env: { HOME: cwd, XDG_CONFIG_HOME: join(cwd, 'user'), PATH: process.env['PATH'] } };
  const opener = new URL('../index.ts', import.meta.url).href;
  const server = await startServer({
    backend: new ThreadBackend({ opener, options }, () => {}),
    ...{
      ledger: 'sqlite:ledger.db',
      place: null,
      workspace: join(cwd, '.icecore'),
      host: '127.0.0.1',
      port: 0,
      allowHosts: [],
      tokens: null,
      log: () => {},
      limits,
    },
  });
  onTestFinished(() => server.stop());
  return { server, url: server.url, port: server.port };
}

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** The response to these bytes, until the server closes or the time is over. */
async function raw(port: number, bytes: string | Uint8Array, ms = 3_000): Promise<string> {
  const socket = open(port);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
  });
  socket.write(bytes);
  await Promise.race([new Promise((resolve) => socket.on('close', resolve)), pause(ms)]);
  socket.destroy();
  return answer;
}

const status = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
const isWell = async (url: string): Promise<boolean> => (await fetch(`${url}runs`)).status === 200;
const megabytes = (): number => process.memoryUsage().rss / 2 ** 20;

describe('a malicious request', () => {
  it('reads no files and adds no headers', async () => {
    const { url, port } = await started();
    const line = (path: string, host = `127.0.0.1:${port}`) =>
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    for (const path of [
      '/../../../../etc/passwd',
      '/blobs/../../../../etc/passwd',
      '/blobs/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
      '/blobs/..%5c..%5cetc%5cpasswd',
      '/tables/..%2f..%2f..%2fetc%2fpasswd',
      '/runs/%00',
      '/runs/%ff%fe',
      '/rollouts/..%2f..%2f..%2fetc%2fpasswd',
      '/rollouts/%00',
      '/rollouts/-1@0',
      `/rollouts/${'f'.repeat(2_000)}`,
      '/runs/..%2f..%2fetc%2fpasswd/next',
      '/ablations/..%2f..%2fetc%2fpasswd',
      `/runs/${'x'.repeat(2_000)}`,
      '//evil.example/runs',
      '/sql?query=SELECT%20*%20FROM%20read_text(%27/etc/passwd%27)',
      '/sql?query=COPY%20runs%20TO%20%27/tmp/stolen%27',
      '/sql?query=ATTACH%20%27/etc/passwd%27',
      '/sql?query=INSTALL%20httpfs',
    ]) {
      const answer = await raw(port, line(path));
      expect(status(answer), path).toBeGreaterThanOrEqual(400);
      expect(status(answer), path).not.toBe(500);
      expect(answer, path).not.toContain('root:');
    }
    const injected = await raw(port, line('/runs/x%0d%0aset-cookie:%20a=b'));
    expect(injected.split('\r\n\r\n')[0]).not.toMatch(/set-cookie/i);
    expect(status(await raw(port, line('http://evil.example/runs', 'evil.example')))).toBe(421);
    expect(await isWell(url)).toBe(true);
  });

  it('is rejected if it is malformed, smuggled or too large', async () => {
    const { url, port } = await started();
    const host = `Host: 127.0.0.1:${port}\r\n`;
    const post = `POST /events HTTP/1.1\r\n${host}Content-Type: application/json\r\n`;
    const cases: readonly (readonly [string, string])[] = [
      ['no HTTP', 'nonsense\r\n\r\n'],
      ['two lengths', `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
      ['a negative length', `${post}Content-Length: -5\r\n\r\n`],
      ['a wrong chunk', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
      ['headers of 32 KB', `GET /runs HTTP/1.1\r\n${host}X: ${'x'.repeat(32_768)}\r\n\r\n`],
      ['no Host', 'GET /runs HTTP/1.1\r\n\r\n'],
      ['two Hosts', `GET /runs HTTP/1.1\r\n${host}Host: evil.example\r\nConnection: close\r\n\r\n`],
      ['TRACE', `TRACE /runs HTTP/1.1\r\n${host}Connection: close\r\n\r\n`],
      ['CONNECT', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n'],
    ];
    for (const [name, bytes] of cases) {
      const found = status(await raw(port, bytes));
      expect(found === 0 || found >= 400, `${name}: ${found}`).toBe(true);
    }
    const [, body = ''] = (await raw(port, cases[4]?.[1] ?? '')).split('\r\n\r\n');
    expect(JSON.parse(body)).toMatchObject({
      error: { kind: 'bad-input', message: expect.stringContaining('16 KiB') },
    });
    expect(await isWell(url)).toBe(true);
  });

  it('gets a JSON error if it has no Host or path that makes a URL', async () => {
    const { url, port } = await started();
    const cases: readonly (readonly [string, string])[] = [
      ['HTTP/1.0 without Host', 'GET /runs HTTP/1.0\r\n\r\n'],
      ['HTTP/1.1 without Host', 'GET /runs HTTP/1.1\r\nConnection: close\r\n\r\n'],
      ['an empty Host', 'GET /runs HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n'],
      ['an impossible port', 'GET /runs HTTP/1.1\r\nHost: localhost:99999999\r\nConnection: close\r\n\r\n'],
      ['a star', `OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`],
    ];
    for (const [name, bytes] of cases) {
      const answer = await raw(port, bytes);
      expect(status(answer), name).toBe(400);
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect(head, name).toMatch(/^content-type: application\/json/im);
      expect(JSON.parse(body), name).toMatchObject({
        error: { kind: 'bad-input', remedy: expect.stringContaining('Host') },
      });
    }
    expect(await isWell(url)).toBe(true);
  });

  it('times out if its headers or body are too slow', async () => {
    const { url, port } = await started({ bodyIdleMs: 300 });
    const slow = `POST /events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
    expect(status(await raw(port, slow))).toBe(408);
    expect(status(await raw(port, `GET /runs HTTP/1.1\r\nHost: 127.0.0.1`, 20_000))).toBe(408);
    expect(await isWell(url)).toBe(true);
  });
});

describe('a malicious body', () => {
  const post = async (url: string, media: string, body: Uint8Array | string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}events`, {
      method: 'POST',
      headers: { 'content-type': media, ...headers },
      body,
    } as RequestInit);
    return { status: answer.status, text: await answer.text() };
  };

  it('that decompresses to a gigabyte uses little memory', async () => {
    const { url } = await started();
    // Gzip within a member cannot be made smaller than 1:1000, so members follow each other.
    const member = gzipSync(Buffer.alloc(16 * 2 ** 20, 0x20));
    const bomb = Buffer.concat(Array.from({ length: 64 }, () => member));
    const line = Buffer.concat([
      gzipSync('{"x":"'),
      ...Array.from({ length: 64 }, () => gzipSync(Buffer.alloc(16 * 2 ** 20, 0x61))),
    ]);
    const before = megabytes();
    const encoding = { 'content-encoding': 'gzip' };
    expect(await post(url, 'application/json', bomb, encoding)).toMatchObject({ status: 413 });
    expect((await post(url, 'application/x-ndjson', bomb, encoding)).text).toContain('"kind"');
    expect((await post(url, 'application/x-ndjson', line, encoding)).text).toContain('"kind"');
    expect(megabytes() - before).toBeLessThan(400);
    expect(await isWell(url)).toBe(true);
  });

  it('with deep, long, invalid or binary values is rejected', async () => {
    const { url } = await started();
    const cases = [
      ['['.repeat(200_000), 400],
      [`{"a":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`, 400],
      [`{"id":"${'x'.repeat(1_000_000)}"}`, 400],
      ['null', 400],
      ['"text"', 400],
      ['', 200],
      [Buffer.from([0xff, 0xfe, 0x00, 0x01]), 400],
      [JSON.stringify({ ...sentNote(0), __proto__: null, constructor: {} }), 400],
    ] as const;
    for (const [body, expected] of cases) {
      const { status, text } = await post(url, 'application/json', body);
      expect(status, `${String(body).slice(0, 40)}: ${text.slice(0, 200)}`).toBe(expected);
    }
    expect(await isWell(url)).toBe(true);
  });

  it('with scripts, control characters and long texts is returned as escaped JSON', async () => {
    const { url } = await started();
    const note = `<script>alert(1)</script>\u202e\u2066\u001b[31m\u009b1m${'é'.repeat(10_000)}`;
    expect(await post(url, 'application/json', JSON.stringify(sentNote(0, note)))).toMatchObject({ status: 200 });
    const answer = await fetch(`${url}events?last=1`);
    const text = await answer.text();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those that control a terminal
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(JSON.parse(text)).toMatchObject({ rows: [{ data: { note } }] });
  });
});

describe('a malicious rollout', () => {
  it('with scripts, long texts or an invalid task is returned as JSON without pictures', async () => {
    const { url } = await started();
    const script = '<script>alert(1)</script>\u202e\u001b[31m';
    const stream = 'evidence-h0stile-1-0-1';
    const forged = (index: number, data: object) => ({
      ...{ ...rolloutIn(stream, index), stream },
      data: { ...rolloutIn(stream, index).data, ...data },
    });
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`;
    const rollouts = [
      forged(0, {
        ...{ environment: script.replace('\u001b', ''), outcome: 'x', prompt: { text: script } },
        details: { kind: 'drawing', content: { svg, frames: [{ svg, says: script }] } },
      }),
      forged(1, { prompt: { text: 'p'.repeat(1_200_000) }, completion: { text: script.repeat(40_000) } }),
      forged(2, { task: { inline: { size: 1e9, holes: [], agents: [] } }, answer: ['R'.repeat(100_000)] }),
      forged(3, { task: { inline: { size: 3, holes: [[0, 0]], agents: [{ start: [9, 9], goal: [0, 0] }] } } }),
    ];
    const headers = { 'content-type': 'application/x-ndjson' };
    const stored = await fetch(`${url}events`, { method: 'POST', headers, body: ndjson(rollouts) });
    expect(await stored.text()).toContain('"appended":4');
    for (const [index, { id }] of rollouts.entries()) {
      const answer = await fetch(`${url}rollouts/${id}`);
      const text = await answer.text();
      expect([answer.status, answer.headers.get('content-type')], text.slice(0, 300)).toEqual([
        200,
        'application/json',
      ]);
      expect(text.length, String(index)).toBeLessThan(12_000_000);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those that control a terminal
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      const { pictures } = JSON.parse(text) as { pictures: { drawing: unknown; plan: unknown; note: string } };
      expect([pictures.drawing, pictures.plan]).toEqual([null, null]);
      expect(pictures.note).toMatch(/^not drawn: /);
    }
    expect(await isWell(url)).toBe(true);
  });
});

describe('many clients', () => {
  it('get the next event if a thousand are idle, and are then removed', async () => {
    const { url, port } = await started();
    const before = megabytes();
    const got = { events: 0 };
    const sockets = Array.from({ length: 1_000 }, () => {
      const socket = open(port);
      socket.write(`GET /live HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
      socket.on('data', (chunk) => {
        if (chunk.includes('event: RunAnnotated')) got.events++;
      });
      return socket;
    });
    const clients = async (): Promise<string> =>
      /^icecore_live_clients (\d+)$/m.exec(await (await fetch(`${url}metrics`)).text())?.[1] ?? '';
    await expect.poll(clients, { timeout: 30_000 }).toBe('1000');
    const headers = { 'content-type': 'application/json' };
    await fetch(`${url}events`, { method: 'POST', headers, body: JSON.stringify(sentNote(0)) });
    await expect.poll(() => got.events, { timeout: 30_000 }).toBe(1_000);
    expect(megabytes() - before).toBeLessThan(400);
    for (const socket of sockets) socket.destroy();
    await expect.poll(clients, { timeout: 30_000 }).toBe('0');
  });

  it('that never read the result of a query free its slot', async () => {
    const { url, port } = await started({ stallMs: 500 });
    for (let i = 0; i < 3; i++) {
      const socket = open(port);
      socket.pause();
      const query = 'SELECT%20*%20FROM%20range(100000000)';
      socket.write(`GET /sql?format=arrow&query=${query} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    }
    const underWay = async (): Promise<string> =>
      /^icecore_requests_under_way (\d+)$/m.exec(await (await fetch(`${url}metrics`)).text())?.[1] ?? '';
    await expect.poll(underWay, { timeout: 30_000 }).toBe('4');
    await expect.poll(underWay, { timeout: 30_000 }).toBe('1');
    expect((await fetch(`${url}sql?query=SELECT%201`)).status).toBe(200);
  });

  it('that never read the live feed are disconnected, with bounded memory', async () => {
    const { url, port } = await started({ stallMs: 1_000, heartbeatMs: 200 });
    const closed = { count: 0 };
    for (let i = 0; i < 20; i++) {
      const socket = open(port);
      socket.write(`GET /live HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
      socket.pause();
      socket.on('close', () => closed.count++);
    }
    await pause(500);
    const before = megabytes();
    const note = 'x'.repeat(20_000);
    const headers = { 'content-type': 'application/x-ndjson' };
    for (let round = 0; round < 10; round++) {
      const body = ndjson(Array.from({ length: 200 }, (_, i) => sentNote(round * 200 + i, note)));
      await (await fetch(`${url}events`, { method: 'POST', headers, body })).text();
    }
    const dropped = async (): Promise<string> =>
      /^icecore_dropped_total (\d+)$/m.exec(await (await fetch(`${url}metrics`)).text())?.[1] ?? '';
    await expect.poll(dropped, { timeout: 30_000 }).toBe('20');
    expect(megabytes() - before).toBeLessThan(500);
    expect(await isWell(url)).toBe(true);
  });
});

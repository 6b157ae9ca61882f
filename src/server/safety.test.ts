// Access to the server, and limits of requests.
import { chmodSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../base/testing/temporary-folder.ts';
import { placeWithTables } from '../cli/runs/testing/looking.ts';
import { ndjson, sentNote } from '../cli/testing/events.ts';
import { allowedNames } from './guard.ts';
import { served } from './testing/served.ts';
import { Tokens } from './tokens.ts';

const lines = { 'content-type': 'application/x-ndjson' };
const json = { 'content-type': 'application/json' };

describe('a browser request', () => {
  it.each([
    [{ host: 'evil.example' }, 421],
    [{ host: 'evil.example:7420' }, 421],
    [{ host: 'localhost.evil.example' }, 421],
    [{ host: '' }, 421],
    [{ host: 'LOCALHOST:9999' }, 200],
    [{ host: '[::1]:7420' }, 200],
    [{ origin: 'http://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'http://localhost:3000' }, 403],
    [{ origin: 'http://localhost:7420' }, 200],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }, 403],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }, 403],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, 200],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
  ])('with %j gets %d', async (headers, status) => {
    const server = await served(temporaryFolder());
    expect((await server.request('/healthz', { headers })).status).toBe(status);
  });

  it('gets headers on every response that forbid scripts, sniffing and cross-origin reads', async () => {
    const server = await served(temporaryFolder());
    for (const path of ['/', '/runs', '/nothing', '/metrics', '/live']) {
      const { headers, body } = await server.request(path);
      expect(headers.get('content-security-policy'), path).toContain("default-src 'none'");
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(headers.get('cross-origin-resource-policy'), path).toBe('same-origin');
      expect(headers.get('access-control-allow-origin'), path).toBeNull();
      await body?.cancel();
    }
  });

  it('is checked against the known host names, unless the server listens everywhere', () => {
    expect(allowedNames('127.0.0.1', ['lab.example'])).toEqual(['localhost', '127.0.0.1', '[::1]', 'lab.example']);
    expect(allowedNames('::1', [])).toEqual(['localhost', '127.0.0.1', '[::1]']);
    expect(allowedNames('10.0.0.7', [])).toEqual(['10.0.0.7']);
    expect(allowedNames('0.0.0.0', [])).toBeNull();
  });
});

describe('tokens', () => {
  afterEach(() => vi.restoreAllMocks());

  const reader = 'r'.repeat(40);
  const writer = 'w'.repeat(40);
  const admin = 'a'.repeat(40);
  const old = 'o'.repeat(40);

  function write(file: string, tokens: readonly object[], mode = 0o600): void {
    writeFileSync(`${file}.new`, JSON.stringify({ tokens }), { mode });
    chmodSync(`${file}.new`, mode);
    renameSync(`${file}.new`, file);
  }

  const all = [
    { name: 'reader', access: 'read', token: reader },
    { name: 'writer', access: 'write', token: writer, expires: '2999-01-01T00:00:00Z' },
    { name: 'admin', access: 'admin', token: admin },
    { name: 'old', access: 'admin', token: old, expires: '2001-01-01T00:00:00Z' },
  ];

  async function guarded() {
    const { cwd } = await placeWithTables();
    const file = join(cwd, 'tokens.json');
    write(file, all);
    const notes: string[] = [];
    const tokens = await Tokens.open(file, (text) => void notes.push(text));
    const server = await served(cwd, { tokens });
    const ask = async (token: string | null, path: string, init: RequestInit = {}): Promise<number> => {
      const headers = { ...json, ...(token === null ? {} : { authorization: `Bearer ${token}` }) };
      return (await server.request(path, { ...init, headers })).status;
    };
    const post = { method: 'POST', body: JSON.stringify(sentNote(0)) };
    return { server, file, notes, ask, post };
  }

  it('grant their access level, and are required except for health and the OpenAPI document', async () => {
    const { ask, post } = await guarded();
    const asked: [string, RequestInit?][] = [['/runs'], ['/events', post], ['/tables/refresh', { method: 'POST' }]];
    const statuses = async (token: string | null): Promise<number[]> => {
      const found: number[] = [];
      for (const [path, init] of asked) found.push(await ask(token, path, init));
      return found;
    };
    expect(await statuses(null)).toEqual([401, 401, 401]);
    expect(await statuses('x'.repeat(40))).toEqual([401, 401, 401]);
    expect(await statuses(old)).toEqual([401, 401, 401]);
    expect(await statuses(`${reader}x`)).toEqual([401, 401, 401]);
    expect(await statuses(reader)).toEqual([200, 403, 403]);
    expect(await statuses(writer)).toEqual([200, 200, 403]);
    expect(await statuses(admin)).toEqual([200, 200, 200]);
    const adopting = { method: 'POST', body: '{"changes": {}}' };
    expect([await ask(reader, '/runs/latest/adopt', adopting), await ask(reader, '/runs/latest/next')]).toEqual([
      403, 200,
    ]);
    expect(await ask(writer, '/runs/latest/adopt', adopting)).toBe(409);
    for (const path of ['/live', '/metrics', '/', '/sql?query=FROM runs', '/rollouts/00000000', '/recipes'])
      expect(await ask(null, path), path).toBe(401);
    for (const path of ['/healthz', '/readyz', '/openapi.json']) expect(await ask(null, path), path).toBe(200);
  });

  it('have their access level in the index; a server without tokens grants admin', async () => {
    const { server } = await guarded();
    const access = async (token: string): Promise<unknown> => {
      const answer = await server.request('/', { headers: { authorization: `Bearer ${token}` } });
      return ((await answer.json()) as { access: unknown }).access;
    };
    expect([await access(reader), await access(writer), await access(admin)]).toEqual(['read', 'write', 'admin']);
    const { cwd } = await placeWithTables();
    expect(await (await served(cwd)).json('/')).toMatchObject({ access: 'admin' });
  });

  it('are reloaded when the file changes; an unsafe or missing file grants nothing', async () => {
    const { file, notes, ask } = await guarded();
    const later = async (token: string): Promise<number> => {
      await new Promise((resolve) => setTimeout(resolve, 1_050));
      return await ask(token, '/runs');
    };
    const next = 'n'.repeat(40);
    write(file, [{ name: 'next', access: 'read', token: next }]);
    expect([await later(reader), await ask(next, '/runs')]).toEqual([401, 200]);
    write(file, all, 0o644);
    expect([await later(reader), await ask(next, '/runs')]).toEqual([401, 401]);
    write(file, all);
    expect(await later(reader)).toBe(200);
    rmSync(file);
    expect(await later(reader)).toBe(401);
    expect(notes.length).toBe(4);
  });

  it('that were replaced open nothing, also for requests that arrive together', async () => {
    const { file, ask } = await guarded();
    expect(await ask(reader, '/runs')).toBe(200);
    write(file, [{ name: 'next', access: 'read', token: 'n'.repeat(40) }]);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2_000);
    expect(await Promise.all(['/runs', '/', '/recipes'].map((path) => ask(reader, path)))).toEqual([401, 401, 401]);
  });

  it.each([
    ['an empty list', { tokens: [] }],
    ['a short token', { tokens: [{ name: 'x', access: 'read', token: 'short' }] }],
    ['an unknown access', { tokens: [{ name: 'x', access: 'root', token: reader }] }],
    ['something else', 'nonsense'],
  ])('in a file with %s are rejected', async (_, content) => {
    const file = join(temporaryFolder(), 'tokens.json');
    writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
    await expect(Tokens.open(file, () => {})).rejects.toMatchObject({ kind: 'bad-input' });
  });

  it('behind a link are not read', async () => {
    const folder = temporaryFolder();
    write(join(folder, 'real.json'), all);
    symlinkSync('real.json', join(folder, 'tokens.json'));
    await expect(Tokens.open(join(folder, 'tokens.json'), () => {})).rejects.toThrow();
  });
});

describe('a request body', () => {
  const events = ndjson(Array.from({ length: 50 }, (_, i) => sentNote(i)));

  it.each([
    ['gzip', gzipSync(events)],
    ['zstd', zstdCompressSync(events)],
  ])('may be compressed with %s', async (encoding, body) => {
    const server = await served(temporaryFolder());
    const headers = { ...lines, 'content-encoding': encoding };
    const answer = await server.request('/events', { method: 'POST', headers, body: Uint8Array.from(body) });
    expect(await answer.text()).toContain('"summary":{"appended":50');
  });

  it('that does not match its headers is rejected', async () => {
    const server = await served(temporaryFolder());
    const post = async (headers: Record<string, string>, body = '{}') =>
      (await server.request('/events', { method: 'POST', headers, body })).status;
    expect(await post({ 'content-type': 'text/html' })).toBe(415);
    expect(await post({ 'content-type': '' })).toBe(415);
    expect(await post({ ...json, 'content-encoding': 'br' })).toBe(415);
    expect(await post({ ...json, 'content-encoding': 'gzip' }, 'no gzip')).toBe(400);
  });

  it('that is too large is rejected, also compressed', async () => {
    const server = await served(temporaryFolder(), { limits: { bodyBytes: 10_000 } });
    const large = ' '.repeat(20_000);
    const packed = Uint8Array.from(gzipSync(large));
    expect(packed.length).toBeLessThan(1_000);
    for (const [body, headers] of [
      [large, json],
      [packed, { ...json, 'content-encoding': 'gzip' }],
    ] as const) {
      const answer = await server.request('/events', { method: 'POST', headers, body });
      expect([answer.status, await answer.json()]).toMatchObject([413, { error: { kind: 'bad-input' } }]);
    }
  });

  it('that stalls times out', async () => {
    const server = await served(temporaryFolder(), { limits: { bodyIdleMs: 50 } });
    const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('[')) });
    const answer = await server.request('/events', {
      method: 'POST',
      headers: json,
      body,
      duplex: 'half',
    } as RequestInit);
    expect(answer.status).toBe(408);
  });
});

it('requests beyond the concurrency limit get 503, and their slots are freed afterwards', async () => {
  const { cwd } = await placeWithTables();
  const server = await served(cwd, { limits: { concurrent: { answer: 2, query: 1, ingest: 1, live: 1 } } });
  const statuses = await Promise.all(Array.from({ length: 6 }, async () => (await server.request('/runs')).status));
  expect(statuses.sort()).toEqual([200, 200, 503, 503, 503, 503]);
  expect((await server.request('/runs')).status).toBe(200);
  const live = await server.request('/live');
  expect((await server.request('/live')).status).toBe(503);
  await live.body?.cancel();
  const again = await server.request('/live');
  expect(again.status).toBe(200);
  await again.body?.cancel();
});

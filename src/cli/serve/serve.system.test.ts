// icecore serve as a process: start, concurrent requests, stop, and durability when it is killed.
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type RequestOptions, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { placeWithTables } from '../runs/testing/looking.ts';
import { ndjson, sentNote } from '../testing/events.ts';
import { inFolder, json, shell, temporaryFolder } from '../testing/harness.ts';
import { anyPort, serve } from './testing/running.ts';

const get = async (url: string): Promise<Record<string, unknown>> =>
  (await (await fetch(url)).json()) as Record<string, unknown>;

describe('icecore serve', () => {
  it('prints its URL and an SSH tunnel, responds like the commands, and exits with the code of the signal', async () => {
    const { cwd, look } = await placeWithTables();
    const running = await serve(cwd, anyPort, { SSH_CONNECTION: '10.0.0.1 5000 10.0.0.2 2222', USER: 'ada' });
    const port = new URL(running.url).port;
    expect(running.stdout()).toContain(`ssh -N -L ${port}:127.0.0.1:${port} -p 2222 ada@10.0.0.2`);
    const why = await get(`${running.url}runs/latest/why?detail=4`);
    expect(why).toEqual(json(await look('why', '--detail', '4', '--json')));
    expect(await get(`${running.url}sql?query=SELECT count(*) AS n FROM runs`)).toMatchObject({ rows: [{ n: 1 }] });
    running.child.kill('SIGTERM');
    expect(await running.ended).toBe(143);
    for (const line of running.stderr().trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ level: 'info' });
  });

  it.runIf(process.platform === 'linux')('opens a browser on request, and answers without one', async () => {
    const cwd = temporaryFolder();
    const opener = join(cwd, 'xdg-open');
    writeFileSync(opener, '#!/bin/sh\necho "$1" > "$(dirname "$0")/opened"\n', { mode: 0o755 });
    const running = await serve(cwd, [...anyPort, '--open'], { PATH: `${cwd}:${process.env['PATH']}` });
    await expect
      .poll(() => existsSync(join(cwd, 'opened')) && readFileSync(join(cwd, 'opened'), 'utf8').trim())
      .toBe(running.url);
    rmSync(opener);
    const without = await serve(cwd, [...anyPort, '--open'], { PATH: cwd });
    await expect.poll(without.stderr).toContain('no browser opened');
    expect(await get(`${without.url}healthz`)).toEqual({ status: 'ok' });
  });

  it('uses a free port if the default one is in use, and fails if that of --port is', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const cwd = temporaryFolder();
    const both = [await serve(cwd, []), await serve(cwd, [])];
    expect(new Set(both.map(({ url }) => url)).size).toBe(2);
    for (const { url } of both) expect(await get(`${url}healthz`)).toEqual({ status: 'ok' });
    const refused = await shell(`icecore serve --port ${port}`, cwd);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('another program uses this port') });
  });

  it('requires tokens in a private file to listen on a public address', async () => {
    const cwd = temporaryFolder();
    for (const words of ['--host 0.0.0.0', '--host ::', '--allow-host lab.example'])
      expect(await shell(`icecore serve --port 0 ${words}`, cwd)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('demands tokens'),
      });
    const file = `echo '{"tokens": [{"name": "me", "access": "read", "token": "${'t'.repeat(32)}"}]}' > tokens.json`;
    const open = await shell(`${file}; chmod 644 tokens.json; icecore serve --host 0.0.0.0 --tokens tokens.json`, cwd);
    expect(open).toMatchObject({ code: 1, stderr: expect.stringContaining('chmod 600') });
    await shell('chmod 600 tokens.json', cwd);
    const running = await serve(cwd, [...anyPort, '--host', '0.0.0.0', '--tokens', 'tokens.json']);
    const url = running.url.replace('0.0.0.0', '127.0.0.1');
    expect((await fetch(`${url}tables`)).status).toBe(401);
    expect((await fetch(`${url}tables`, { headers: { authorization: `Bearer ${'t'.repeat(32)}` } })).status).toBe(200);
  });

  it('responds quickly during a large append', async () => {
    const cwd = temporaryFolder();
    const running = await serve(cwd);
    const body = ndjson(Array.from({ length: 20_000 }, (_, i) => sentNote(i)));
    const appending = fetch(`${running.url}events`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body,
    }).then((answer) => answer.text());
    const waits: number[] = [];
    let isOver = false;
    void appending.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const began = performance.now();
      expect((await fetch(`${running.url}healthz`)).status).toBe(200);
      waits.push(performance.now() - began);
      await pause(5);
    }
    expect(await appending).toContain('"appended":20000');
    // The machine may be busy; a blocked event loop would make every answer wait for whole windows.
    expect(waits.toSorted((a, b) => a - b)[Math.floor(waits.length / 2)]).toBeLessThan(100);
    await expect
      .poll(async () => await (await fetch(`${running.url}metrics`)).text(), { timeout: 30_000 })
      .toMatch(/^icecore_table_events 20000$/m);
  });

  it('runs a short query while long ones run', async () => {
    const { cwd } = await placeWithTables();
    const running = await serve(cwd);
    const leaving = new AbortController();
    const endless = encodeURIComponent('SELECT count(*) FROM range(100000000000) a, range(1000) b');
    const slow = [1, 2].map(() => fetch(`${running.url}sql?query=${endless}`, { signal: leaving.signal }));
    await pause(1_000);
    expect(await get(`${running.url}sql?query=SELECT 1 AS one`)).toMatchObject({ rows: [{ one: 1 }] });
    leaving.abort();
    for (const one of slow) await expect(one).rejects.toThrow();
  });

  it('ends a query when its client disconnects', async () => {
    const { cwd } = await placeWithTables();
    const running = await serve(cwd);
    const leaving = new AbortController();
    const endless = 'SELECT count(*) FROM range(100000000000) a, range(1000) b';
    const asked = fetch(`${running.url}sql?query=${encodeURIComponent(endless)}`, { signal: leaving.signal });
    await pause(1_000);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    const underWay = async (): Promise<string> =>
      /^icecore_requests_under_way (\d+)$/m.exec(await (await fetch(`${running.url}metrics`)).text())?.[1] ?? '';
    // The request for metrics itself.
    await expect.poll(underWay, { timeout: 20_000 }).toBe('1');
  });

  it('completes running requests before it stops', async () => {
    const cwd = temporaryFolder();
    const running = await serve(cwd);
    const events = Array.from({ length: 400 }, (_, i) => `${JSON.stringify(sentNote(i))}\n`);
    const body = new ReadableStream({
      async start(controller) {
        for (const [index, event] of events.entries()) {
          controller.enqueue(Buffer.from(event));
          if (index === 200) running.child.kill('SIGTERM');
          await pause(1);
        }
        controller.close();
      },
    });
    const headers = { 'content-type': 'application/x-ndjson' };
    const init = { method: 'POST', headers, body, duplex: 'half' };
    const answer = await (await fetch(`${running.url}events`, init as RequestInit)).text();
    expect(answer).toContain('"summary":{"appended":400');
    expect(await running.ended).toBe(143);
  });
});

describe('with a running server', () => {
  it('commands query and refresh the tables while events are appended', async () => {
    const { cwd, look } = await placeWithTables();
    const running = await serve(cwd);
    const headers = { 'content-type': 'application/x-ndjson' };
    for (let round = 0; round < 4; round++) {
      const body = ndjson(Array.from({ length: 500 }, (_, i) => sentNote(round * 500 + i)));
      const [sent, asked, refreshed, answered] = await Promise.all([
        fetch(`${running.url}events`, { method: 'POST', headers, body }).then((answer) => answer.text()),
        shell('icecore sql "SELECT count(*) AS n FROM notes" --json', cwd),
        shell('icecore tables refresh --json', cwd),
        get(`${running.url}sql?query=SELECT count(*) AS n FROM notes`),
      ]);
      expect(sent).toContain('"appended":500');
      expect([asked.code, refreshed.code]).toEqual([0, 0]);
      expect(`${asked.stderr}${refreshed.stderr}`).not.toMatch(/lock/i);
      expect(answered).toMatchObject({ rows: [{ n: expect.any(Number) }] });
    }
    expect(json(await look('sql', 'SELECT count(*) AS n FROM notes WHERE note IS NOT NULL', '--json'))).toMatchObject({
      rows: [{ n: 2_000 }],
    });
    running.child.kill('SIGTERM');
    expect(await running.ended).toBe(143);
    for (const line of running.stderr().trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ level: 'info' });
  }, 120_000);

  it.skipIf(process.platform === 'win32')(
    'the socket accepts requests without a token, and is created again after a kill',
    async () => {
      const { cwd } = await placeWithTables();
      const file = join(cwd, 'tokens.json');
      const tokens = [{ name: 'me', access: 'read', token: 't'.repeat(32) }];
      writeFileSync(file, JSON.stringify({ tokens }), { mode: 0o600 });
      const running = await serve(cwd, [...anyPort, '--tokens', 'tokens.json', '--json']);
      const { socket } = JSON.parse(running.stdout()) as { socket: string };
      expect(socket).toBe(join(cwd, '.icecore', 'server', 'socket'));
      expect((await fetch(`${running.url}runs`)).status).toBe(401);
      const append = { method: 'POST', headers: { 'content-type': 'application/json' } };
      expect(await throughSocket(socket, '/runs')).toMatchObject([200, { total: 1 }]);
      expect(await throughSocket(socket, '/events', append, JSON.stringify(sentNote(0)))).toMatchObject([
        200,
        { appended: 1 },
      ]);
      running.child.kill('SIGKILL');
      await running.ended;
      expect(existsSync(socket)).toBe(true);
      const again = await serve(cwd, [...anyPort, '--tokens', 'tokens.json', '--json']);
      expect(await throughSocket(socket, '/healthz')).toMatchObject([200, { status: 'ok' }]);
      again.child.kill('SIGTERM');
      await again.ended;
      expect(existsSync(socket)).toBe(false);
    },
  );
});

async function throughSocket(
  socketPath: string,
  path: string,
  options: RequestOptions = {},
  body?: string,
): Promise<readonly [status: number, answer: unknown]> {
  return await new Promise((resolve, reject) => {
    const asking = request({ socketPath, path, ...options }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => resolve([response.statusCode ?? 0, JSON.parse(Buffer.concat(pieces).toString())]));
    });
    asking.on('error', reject);
    asking.end(body);
  });
}

describe('a server that is killed', () => {
  it('loses no acknowledged event', async () => {
    const cwd = temporaryFolder();
    let acknowledged = 0;
    let next = 0;
    for (let round = 0; round < 3; round++) {
      const running = await serve(cwd, [...anyPort, '--quiet']);
      // Some time after it acknowledged something, in the middle of other appends.
      let kill: NodeJS.Timeout | undefined;
      const killSoon = (): void => {
        kill ??= setTimeout(() => running.child.kill('SIGKILL'), 50 + 150 * round);
      };
      // Four writers, each with a small list at a time, until the server is gone.
      const writer = async (): Promise<void> => {
        for (;;) {
          const from = next;
          next += 5;
          const body = JSON.stringify(Array.from({ length: 5 }, (_, i) => sentNote(from + i)));
          const headers = { 'content-type': 'application/cloudevents-batch+json' };
          try {
            const answer = await fetch(`${running.url}events`, { method: 'POST', headers, body });
            const { appended } = (await answer.json()) as { appended: number };
            acknowledged += appended;
            for (let i = 0; i < 5; i++) durable.add(from + i);
            killSoon();
          } catch {
            return;
          }
        }
      };
      await Promise.all([writer(), writer(), writer(), writer()]);
      clearTimeout(kill);
      await running.ended;
    }
    expect(acknowledged).toBeGreaterThan(0);
    const icecore = inFolder(cwd);
    const { stdout } = await icecore('event', 'tail', '-n', '1000000', '--json');
    const notes = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { data: { note: string } }).data.note);
    const kept = new Set(notes);
    expect([...durable].filter((index) => !kept.has(`note ${index}`))).toEqual([]);
    expect(kept.size).toBe(notes.length);
    expect(await icecore('verify')).toMatchObject({ code: 0 });
  });

  const durable = new Set<number>();
});

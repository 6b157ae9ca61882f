// Commands with a running server in their workspace: it answers their queries; if it fails, the commands run them themselves.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownerPieceBytes } from '../../library/own-server.ts';
import { placeWithTables } from '../runs/testing/looking.ts';
import { ndjson, sentNote } from '../testing/events.ts';
import { bare, bin, inFolder, type Ran, shell } from '../testing/harness.ts';
import { type Running, serve } from './testing/running.ts';

const question = 'SELECT run, done FROM runs';

/** How many queries of commands the server has answered, by status. */
async function answered({ url }: Running, status = 200): Promise<number> {
  const metrics = await (await fetch(`${url}metrics`)).text();
  const found = new RegExp(`^icecore_requests_total\\{route="ownerSql",status="${status}"\\} (\\d+)$`, 'm').exec(
    metrics,
  );
  return Number(found?.[1] ?? 0);
}

/** Runs the command in this process; `shell` below starts processes. */
function ask(cwd: string, words = '', env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return inFolder(cwd, { env })('sql', question, ...words.split(' ').filter((word) => word !== ''));
}

async function append(url: string, from: number, count: number): Promise<void> {
  const body = ndjson(Array.from({ length: count }, (_, i) => sentNote(from + i)));
  const headers = { 'content-type': 'application/x-ndjson' };
  expect(await (await fetch(`${url}events`, { method: 'POST', headers, body })).text()).toContain('"summary"');
}

describe.skipIf(process.platform === 'win32')('icecore sql with a running server', () => {
  it('gets its result from the server, the same in every text format as without one', async () => {
    const { cwd } = await placeWithTables();
    const forms = ['', '--format csv', '--format ndjson', '--format markdown', '--limit 1', '--output answer.csv'];
    const alone: Ran[] = [];
    for (const form of forms) alone.push(await ask(cwd, form));
    const file = readFileSync(join(cwd, 'answer.csv'), 'utf8');
    const running = await serve(cwd);
    for (const [index, form] of forms.entries()) expect(await ask(cwd, form), form).toEqual(alone[index]);
    expect(readFileSync(join(cwd, 'answer.csv'), 'utf8')).toBe(file);
    expect(await answered(running)).toBe(forms.length);
    const binary = await ask(cwd, '--output answer.parquet');
    expect([binary.code, existsSync(join(cwd, 'answer.parquet'))]).toEqual([0, true]);
    expect(await answered(running)).toBe(forms.length);
  }, 120_000);

  it('fails with the same error as without a server', async () => {
    const { cwd } = await placeWithTables();
    const wrong = [
      'SELECT nothing FROM runs',
      'FROM nowhere',
      'SELECT 1; SELECT 2',
      "COPY runs TO 'x.csv'",
      'SELECT 1 +',
    ];
    const run = (sql: string): Promise<Ran> => inFolder(cwd)('sql', sql);
    const alone: Ran[] = [];
    for (const sql of wrong) alone.push(await run(sql));
    const running = await serve(cwd);
    for (const [index, sql] of wrong.entries()) expect(await run(sql), sql).toEqual(alone[index]);
    expect(await answered(running)).toBe(wrong.length);
  }, 120_000);

  it('includes every event recorded before it', async () => {
    const { cwd } = await placeWithTables();
    const running = await serve(cwd);
    for (let round = 1; round <= 5; round++) {
      await append(running.url, round * 1000, 1000);
      const { stdout } = await shell('icecore sql "SELECT count(*) AS n FROM notes" --format csv', cwd);
      expect(stdout.trim().split(/\s+/)).toEqual(['n', String(round * 1000)]);
    }
    expect(await answered(running)).toBe(5);
  }, 120_000);

  it('does not use the server with another ledger, other tables or other limits', async () => {
    const { cwd } = await placeWithTables();
    const other = await placeWithTables();
    const running = await serve(cwd);
    // A process does not ask again after a server refused it.
    const own = (words: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
      shell(`icecore sql "${question}" ${words}`, cwd, env);
    const ledger = await own(`--ledger sqlite:${join(other.cwd, '.icecore', 'ledger.db')}`);
    const tables = await own('', { ICECORE_TABLES: join(cwd, 'elsewhere') });
    const limits = await own('--seconds 61');
    const alone = await own('');
    for (const { code, stdout } of [ledger, tables, limits]) expect([code, stdout]).toEqual([0, alone.stdout]);
    expect([await answered(running), await answered(running, 409)]).toEqual([1, 2]);
  }, 120_000);

  it('works after the server was killed', async () => {
    const { cwd } = await placeWithTables();
    const alone = await ask(cwd);
    const running = await serve(cwd);
    running.child.kill('SIGKILL');
    await running.ended;
    expect(existsSync(join(cwd, '.icecore', 'server', 'socket'))).toBe(true);
    expect(await ask(cwd)).toEqual(alone);
  }, 60_000);

  it('uses a server route that is not reachable over HTTP', async () => {
    const { cwd } = await placeWithTables();
    const { url } = await serve(cwd);
    const headers = { 'content-type': 'application/json', 'icecore-place': 'x' };
    const asked = await fetch(`${url}owner/sql`, { method: 'POST', headers, body: '{}' });
    expect([asked.status, await asked.json()]).toMatchObject([404, { error: { kind: 'not-found' } }]);
    const document = (await (await fetch(`${url}openapi.json`)).json()) as { paths: object };
    expect(Object.keys(document.paths).filter((path) => path.startsWith('/owner'))).toEqual([]);
  });
});

/** A program that listens on the socket of the workspace. Returns the number of its requests. */
async function impostor(cwd: string, answer: RequestListener, mode = 0o700): Promise<() => number> {
  const folder = join(cwd, '.icecore', 'server');
  mkdirSync(folder, { mode: 0o700 });
  chmodSync(folder, mode);
  let asked = 0;
  const server = createServer((question, response) => {
    asked++;
    answer(question, response);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(join(folder, 'socket'), resolve));
  return () => asked;
}

const standing = ownerPieceBytes({ piece: 'standing', standing: { events: 9, behind: 0, unknown: [] } });
const bytes = (size: number) => ownerPieceBytes({ piece: 'bytes', bytes: Buffer.alloc(size, 'x') });

describe.skipIf(process.platform === 'win32')('icecore sql with another program on the socket', () => {
  const answers: Readonly<Record<string, RequestListener>> = {
    'a server that responds with an error': (_, response) => void response.writeHead(500).end('no'),
    'a server of another version': (_, response) => void response.writeHead(409).end('{"error": {"kind": "conflict"}}'),
    'a server that responds with nonsense': (_, response) =>
      void response.end('\u0000\u0000\u0000\u0000\u0003{{{and more'),
    'a server that ends its response early': (_, response) => void response.end(Buffer.concat([standing, bytes(10)])),
    'a server that breaks the connection': (_, response) =>
      void response.write(Buffer.concat([standing, bytes(1000)]).subarray(0, 500), () => response.destroy()),
    'a server with an endless response': (_, response) => {
      response.write(standing);
      const more = (): void => {
        while (response.write(bytes(2 ** 20)));
        response.once('drain', more);
      };
      more();
    },
    'a server that does not respond': () => {},
  };

  it.each(Object.entries(answers))('works with %s', async (_, answer) => {
    const { cwd } = await placeWithTables();
    const alone = await ask(cwd);
    const asked = await impostor(cwd, answer);
    expect(await ask(cwd)).toEqual(alone);
    expect(asked()).toBeGreaterThan(0);
  });

  it('does not connect if other users can enter the folder of the socket', async () => {
    const { cwd } = await placeWithTables();
    const alone = await ask(cwd);
    const asked = await impostor(cwd, (_, response) => void response.end(), 0o755);
    expect(await ask(cwd)).toEqual(alone);
    expect(asked()).toBe(0);
  });
});

it.skipIf(process.platform === 'win32')(
  'icecore sql reads the replaced ledger file, and does not use a server of the old one',
  async () => {
    const { cwd } = await placeWithTables();
    const other = await placeWithTables();
    const running = await serve(cwd);
    await append(running.url, 0, 10);
    await ask(cwd);
    const before = await answered(running);
    await shell(`rm -rf .icecore/ledger*; cp -r ${join(other.cwd, '.icecore')}/ledger* .icecore/`, cwd);
    const { stdout } = await shell('icecore sql "SELECT count(*) AS n FROM notes" --format csv', cwd);
    expect([stdout.trim().split(/\s+/), await answered(running)]).toEqual([['n', '0'], before]);
  },
);

it.skipIf(process.platform === 'win32')(
  'the server ends a query when its command is killed',
  async () => {
    const { cwd } = await placeWithTables();
    const running = await serve(cwd);
    const underWay = async (): Promise<string> =>
      /^icecore_requests_under_way (\d+)$/m.exec(await (await fetch(`${running.url}metrics`)).text())?.[1] ?? '';
    const endless = 'SELECT count(*) FROM range(100000000000) a, range(1000) b';
    const child = spawn(process.execPath, [bin, 'sql', endless], { cwd, env: bare(), stdio: 'ignore' });
    // With the request for metrics itself.
    await expect.poll(underWay, { timeout: 20_000 }).toBe('2');
    child.kill('SIGKILL');
    await expect.poll(underWay, { timeout: 20_000 }).toBe('1');
  },
  60_000,
);

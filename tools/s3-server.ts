// A real S3-compatible server for tests, on a free port of this machine with a fresh folder: versitygw, which checks signatures, built once with Go
// into .cache/. `node tools/s3-server.ts` prints one line of JSON with URLs of blob stores and credentials, and runs until its standard input ends
// or it receives a signal; `--prepare` only builds, `--ready` reports whether that was done.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const version = '1.8.0';
const cache = fileURLToPath(new URL('../.cache/', import.meta.url));
const program = join(cache, `versitygw-${version}`);
const region = 'us-east-1';
const startsWithinMs = 60_000;

const [wanted] = process.argv.slice(2);
if (wanted === '--ready') tellWhetherReady();
else {
  prepare();
  if (wanted !== '--prepare') await serve();
}

function tellWhetherReady(): void {
  if (existsSync(program)) return;
  console.error(
    'run `npm run s3-server -- --prepare`, which needs Go, or set ICECORE_TEST_S3_URL and AWS_* credentials',
  );
  process.exitCode = 1;
}

/** Built next to its place and moved there, so that an incomplete program is never started. */
function prepare(): void {
  if (existsSync(program)) return;
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'build-'));
  try {
    const from = `github.com/versity/versitygw/cmd/versitygw@v${version}`;
    execFileSync('go', ['install', from], { env: { ...process.env, GOBIN: folder }, stdio: ['ignore', 2, 2] });
    renameSync(join(folder, 'versitygw'), program);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function serve(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-s3-'));
  const [owner, stranger] = [credentials('owner'), credentials('stranger')];
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const stop = start(folder, endpoint, owner);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  process.stdin.on('end', stop).resume();
  try {
    await answers(endpoint);
    admit(endpoint, owner, stranger);
  } catch (error) {
    stop();
    throw error;
  }
  const at = (bucket: string): string => `s3://${bucket}?endpoint=${endpoint}&region=${region}`;
  console.log(JSON.stringify({ plain: at('plain'), versioned: at('versioned'), owner, stranger }));
}

/** Ends this process when the server ends; returns a function that stops it. */
function start(folder: string, endpoint: string, owner: Credentials): () => void {
  const at = (name: string): string => join(folder, name);
  // The server treats a folder of objects as a bucket.
  for (const name of ['accounts', 'versions', 'objects/plain', 'objects/versioned'])
    mkdirSync(at(name), { recursive: true });
  const usual = ['--quiet', '--keep-alive', '--region', region, '--port', new URL(endpoint).host];
  const places = ['--iam-dir', at('accounts'), 'posix', '--versioning-dir', at('versions'), at('objects')];
  const server = spawn(program, [...usual, ...places], {
    env: { ...process.env, ROOT_ACCESS_KEY_ID: owner.accessKeyId, ROOT_SECRET_ACCESS_KEY: owner.secretAccessKey },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stopping = false;
  // Messages about the stop are ignored.
  server.stderr.on('data', (said) => stopping || process.stderr.write(said));
  server.on('exit', (code) => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(code ?? 0);
  });
  return () => {
    stopping = true;
    server.kill();
  };
}

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

function credentials(name: string): Credentials {
  return { accessKeyId: `${name}${randomBytes(6).toString('hex')}`, secretAccessKey: randomBytes(20).toString('hex') };
}

async function freePort(): Promise<number> {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  taken.close();
  await once(taken, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

async function answers(endpoint: string): Promise<void> {
  const start = performance.now();
  for (;;) {
    try {
      await fetch(endpoint);
      return;
    } catch (error) {
      if (performance.now() - start > startsWithinMs) throw error;
      await pause(50);
    }
  }
}

/** Creates an account without permissions, to test refusals. */
function admit(endpoint: string, owner: Credentials, stranger: Credentials): void {
  const as = ['--access', owner.accessKeyId, '--secret', owner.secretAccessKey, '--endpoint-url', endpoint];
  const account = ['--access', stranger.accessKeyId, '--secret', stranger.secretAccessKey, '--role', 'user'];
  execFileSync(program, ['admin', ...as, 'create-user', ...account], { stdio: ['ignore', 'ignore', 'inherit'] });
}

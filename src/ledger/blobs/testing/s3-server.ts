// A real server for the tests of the S3 store: the one in ICECORE_TEST_S3_URL, or one that is started here.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface S3Server {
  /** A bucket, as the URL of a blob store. */
  readonly plain: string;
  /** Only on a server started here: a bucket with versions, and an account without permissions. */
  readonly own: { readonly versioned: string; readonly stranger: Credentials } | null;
  stop(): Promise<void>;
}

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const program = fileURLToPath(new URL('../../../../tools/s3-server.ts', import.meta.url));
const given = process.env['ICECORE_TEST_S3_URL'];

/** Why there is no server to test with; null: there is one. */
export function whyNoServer(): string | null {
  if (given) return null;
  const { status, stderr } = spawnSync(process.execPath, [program, '--ready'], { encoding: 'utf8' });
  return status === 0 ? null : stderr.trim();
}

/** Puts the credentials into the environment of this process, where the store looks for them. */
export async function startServer(): Promise<S3Server> {
  if (given) return { plain: given, own: null, stop: async () => {} };
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const { plain, versioned, owner, stranger } = JSON.parse(await firstLine(child));
  be(owner);
  return { plain, own: { versioned, stranger }, stop: () => stop(child) };
}

export function be({ accessKeyId, secretAccessKey }: Credentials): void {
  process.env['AWS_ACCESS_KEY_ID'] = accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = secretAccessKey;
  delete process.env['AWS_SESSION_TOKEN'];
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the server has no output');
  for await (const line of createInterface(child.stdout)) return line;
  throw new Error('the server ended before it began');
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.stdin?.end();
  await ended;
}

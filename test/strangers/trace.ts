// Runs a command under strace and reports which programs it executed, which addresses it connected to, and which files it read and changed.
// Without strace, only its output is available.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

export interface Traced {
  /** Null if it was stopped at the limit. */
  readonly code: number | null;
  readonly output: string;
  readonly effects: Effects;
}

export interface Effects {
  readonly executed: readonly (readonly string[])[];
  /** `127.0.0.1:80`, `[::1]:80`. */
  readonly connected: readonly string[];
  /** Real paths. */
  readonly read: readonly string[];
  readonly changed: readonly string[];
}

export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly limitSeconds: number;
}

const calls = [
  [
    'execve',
    'execveat',
    'connect',
    'sendto',
    'open',
    'openat',
    'openat2',
    'creat',
    'truncate',
    'unlink',
    'unlinkat',
    'rmdir',
  ],
  ['rename', 'renameat', 'renameat2', 'mkdir', 'mkdirat', 'link', 'linkat', 'symlink', 'symlinkat', 'mknod', 'mknodat'],
  ['chmod', 'fchmodat', 'chown', 'lchown', 'fchownat', 'utimensat', 'setxattr'],
].flat();
export const none: Effects = { executed: [], connected: [], read: [], changed: [] };

/** Why commands cannot be traced on this machine; null if they can. */
export function whyUntraceable(): string | null {
  const { status, error, stderr } = spawnSync('strace', ['-f', '-qq', '-o', '/dev/null', 'true'], { encoding: 'utf8' });
  if (error !== undefined) return `strace cannot be started: ${error.message}`;
  return status === 0 ? null : `strace cannot trace: ${stderr.trim()}`;
}

export async function traced(words: readonly string[], surroundings: Surroundings, canTrace: boolean): Promise<Traced> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-trace-'));
  try {
    const path = join(folder, 'log');
    const { code, output } = await ended(canTrace ? tracing(words, path) : words, surroundings);
    if (!canTrace) return { code, output, effects: none };
    using log = new CallLog(path);
    return { code, output, effects: log.effects(surroundings.cwd) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The command line that runs another under strace, which logs to a file. */
export function tracing(words: readonly string[], log: string): readonly string[] {
  const options = ['-f', '-qq', '-y', '-s', '4096', '--seccomp-bpf', '-e', `trace=${calls.map(optional)}`];
  return ['strace', ...options, '-o', log, '--', ...words];
}

/** Calls that this kernel lacks are skipped. */
function optional(call: string): string {
  return `?${call}`;
}

async function ended(
  [command = '', ...args]: readonly string[],
  { cwd, env, stdin, limitSeconds }: Surroundings,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(command, args, { cwd, env, detached: true });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const stopped = { atLimit: false };
  const limit = setTimeout(() => {
    // A process that has just ended and only has to close its pipes needs no signal.
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    stopped.atLimit = true;
    process.kill(-child.pid, 'SIGKILL');
  }, limitSeconds * 1000);
  const code = await new Promise<number | null>((done, failed) => child.once('close', done).once('error', failed));
  clearTimeout(limit);
  return { code: stopped.atLimit ? null : (code ?? -1), output: Buffer.concat(chunks).toString() };
}

interface Call {
  readonly name: string;
  readonly args: string;
  readonly result: string;
}

/** A log that strace is still writing: every call is in the file before the process continues after it. */
export class CallLog {
  readonly #file: number;
  readonly #unfinished = new Map<string, string>();
  #rest = '';

  constructor(path: string) {
    this.#file = openSync(path, 'r');
  }

  /** The effects of the calls since the last time. */
  effects(cwd: string): Effects {
    const effects = {
      executed: [] as string[][],
      connected: [] as string[],
      read: [] as string[],
      changed: [] as string[],
    };
    for (const { name, args, result } of this.#calls()) {
      if (/^-1 /.test(result) && name !== 'connect') continue;
      if (name.startsWith('execve')) effects.executed.push(textsIn(args));
      else if (name === 'connect' || name === 'sendto') effects.connected.push(...addressesIn(args));
      else if (name.startsWith('open'))
        (isForWriting(args) ? effects.changed : effects.read).push(openedPath(args, result));
      else effects.changed.push(...pathsIn(args, cwd));
    }
    return effects;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  /** Calls of several processes interleave; an interrupted one is logged in two parts. */
  #calls(): readonly Call[] {
    return this.#lines().flatMap((text) => {
      const [, pid = '', said = ''] = /^(\d+) +(.*)$/.exec(text) ?? [];
      if (said.endsWith('<unfinished ...>')) {
        this.#unfinished.set(pid, said.slice(0, -'<unfinished ...>'.length));
        return [];
      }
      const [resumed] = /^<\.\.\. \w+ resumed>/.exec(said) ?? [];
      const whole = resumed === undefined ? said : (this.#unfinished.get(pid) ?? '') + said.slice(resumed.length);
      const [, name, args, result] = /^(\w+)\((.*)\) += (.+)$/.exec(whole) ?? [];
      return name === undefined || args === undefined || result === undefined ? [] : [{ name, args, result }];
    });
  }

  #lines(): readonly string[] {
    const chunks: Buffer[] = [];
    for (;;) {
      const chunk = Buffer.allocUnsafe(2 ** 20);
      const bytes = readSync(this.#file, chunk);
      if (bytes === 0) break;
      chunks.push(chunk.subarray(0, bytes));
    }
    const lines = (this.#rest + Buffer.concat(chunks).toString()).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines;
  }
}

function textsIn(args: string): string[] {
  return [...args.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => unescaped(text));
}

/** C notation of bytes: octal numbers and letters. */
function unescaped(text: string): string {
  const bytes = text.replace(/\\([0-7]{1,3}|x[0-9a-f]{2}|.)/g, (_, code: string) => {
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
    return { n: '\n', t: '\t', r: '\r' }[code] ?? code;
  });
  return Buffer.from(bytes, 'latin1').toString();
}

function addressesIn(args: string): string[] {
  const [, port] = /sin6?_port=htons\((\d+)\)/.exec(args) ?? [];
  const [, four] = /inet_addr\("([^"]+)"\)/.exec(args) ?? [];
  const [, six] = /inet_pton\(AF_INET6, "([^"]+)"/.exec(args) ?? [];
  if (port === undefined) return [];
  return [six === undefined ? `${four}:${port}` : `[${six}]:${port}`];
}

function isForWriting(args: string): boolean {
  return /O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)/.test(args);
}

/** strace prints the opened file after the file descriptor, with links resolved. */
function openedPath(args: string, result: string): string {
  const [, path] = /^\d+<(.*?)>(?:\(deleted\))?$/.exec(result) ?? [];
  return path === undefined ? (textsIn(args)[0] ?? '') : unescaped(path);
}

/** Every path of a call that changes a folder, with links resolved except in the last name. */
function pathsIn(args: string, cwd: string): string[] {
  return [...args.matchAll(/(?:(?:AT_FDCWD|\d+)<((?:[^>\\]|\\.)*)>, )?"((?:[^"\\]|\\.)*)"/g)].map(
    ([, folder, text = '']) => {
      const path = resolve(folder === undefined ? cwd : unescaped(folder), unescaped(text));
      return join(realPath(dirname(path)), basename(path));
    },
  );
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === dirname(path) ? path : join(realPath(dirname(path)), basename(path));
  }
}

// Runs icecore for tests: within this process with streams of the test's own, or as a person's shell would.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Sink } from '../../base/sink.ts';
import type { Plugin } from '../../library/plugins/index.ts';
import type { Io } from '../io.ts';
import { main } from '../main.ts';

export { temporaryFolder } from '../../base/testing/temporary-folder.ts';
export { lines, ownColour, steering } from '../../base/testing/terminal-text.ts';

export const bin: string = fileURLToPath(new URL('../../../bin/icecore.cjs', import.meta.url));

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What killed it; left out where it ended by itself. */
  readonly signal?: NodeJS.Signals;
}

export interface Surroundings {
  readonly cwd: string;
  readonly stdin?: string | Iterable<string | Uint8Array>;
  readonly env?: Readonly<Record<string, string>>;
  /** The width of the terminal that both outputs go to; without it they go to pipes. */
  readonly terminal?: number;
  /** Standard output goes to a file, whatever the other one goes to. */
  readonly intoFile?: true;
  readonly signal?: AbortSignal;
  /** Of the program that the command line is a part of. */
  readonly plugins?: readonly Plugin[];
  /** Called with each text that is written to standard output. */
  readonly onOutput?: (text: string) => void;
}

/** Runs a command line in this process. */
export async function icecore(argv: readonly string[], surroundings: Surroundings): Promise<Ran> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const { cwd, env = {}, terminal, signal = new AbortController().signal, onOutput } = surroundings;
  const io: Io = {
    stdin: input(surroundings.stdin ?? ''),
    stdout:
      surroundings.intoFile === true
        ? { ...collect(stdout, undefined, onOutput), isFile: true }
        : collect(stdout, terminal, onOutput),
    stderr: collect(stderr, terminal),
    env: { ...ownSettings(), ...env },
    cwd,
    signal,
    ...(surroundings.plugins === undefined ? {} : { plugins: surroundings.plugins }),
  };
  const code = await main(argv, io);
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}

/** Streams that nobody reads. */
export function silentIo(cwd: string): Io {
  return {
    stdin: input(''),
    stdout: collect([], undefined),
    stderr: collect([], undefined),
    env: ownSettings(),
    cwd,
    signal: new AbortController().signal,
  };
}

/** Where this test run keeps what a user decides: never in the settings of whoever runs it. */
function ownSettings(): Readonly<Record<string, string>> {
  const folder = process.env['XDG_CONFIG_HOME'];
  return folder === undefined ? {} : { XDG_CONFIG_HOME: folder };
}

/** A function that runs command lines in one folder. */
export function inFolder(cwd: string, surroundings: Partial<Surroundings> = {}) {
  return (...argv: readonly string[]): Promise<Ran> => icecore(argv, { cwd, ...surroundings });
}

function input(given: string | Iterable<string | Uint8Array>): Readable {
  const chunks = typeof given === 'string' ? [given] : given;
  return Readable.from(bytesOf(chunks), { objectMode: false });
}

function* bytesOf(chunks: Iterable<string | Uint8Array>): Generator<Uint8Array> {
  for (const chunk of chunks) if (chunk.length > 0) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

function collect(texts: string[], terminal: number | undefined, onOutput?: (text: string) => void): Sink {
  return {
    isTTY: terminal !== undefined,
    columns: terminal ?? 80,
    write: async (text) => {
      const said = typeof text === 'string' ? text : Buffer.from(text).toString();
      texts.push(said);
      onOutput?.(said);
    },
  };
}

/** Runs the real command in a process of its own; `script` runs in a shell where `icecore` is that command. */
export function shell(script: string, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const icecoreFunction = `icecore() { "${process.execPath}" "${bin}" "$@"; }`;
  return collected(spawn('bash', ['-c', `${icecoreFunction}\n${script}`], { cwd, env: { ...bare(), ...env } }));
}

/** The test's own environment, without what would lead icecore elsewhere. */
export function bare(): NodeJS.ProcessEnv {
  const { ICECORE_WORKSPACE: _, ICECORE_LEDGER: __, ICECORE_DEBUG: ___, ...rest } = process.env;
  return rest;
}

export async function collected(child: ReturnType<typeof spawn>): Promise<Ran> {
  let [stdout, stderr] = ['', ''];
  // It may end before it has read all it was given.
  child.stdin?.on('error', () => {});
  child.stdout?.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const [status, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code: status ?? (signal === null ? -1 : 128), stdout, stderr, ...(signal === null ? {} : { signal }) };
}

/** Gives a child its whole input, no faster than it reads. Throws, with what the child said, when it ends before that. */
export async function fed(child: ReturnType<typeof spawn>, texts: Iterable<string>): Promise<Ran> {
  const { stdin } = child;
  if (stdin === null) throw new Error('the child was started without a pipe to its standard input');
  const ended = collected(child);
  const tooEarly = ended.then((ran): never => {
    const how = ran.signal === undefined ? `exit code ${ran.code}` : `signal ${ran.signal}`;
    throw new Error(`the command ended before it had read its input: ${how}\n${ran.stderr}${ran.stdout}`);
  });
  // Where all of the input was taken, the end of the child is as it should be.
  tooEarly.catch(() => {});
  // A write is not waited for by its event: the stream of a child that has ended drains no more.
  for (const text of texts) {
    const taken = new Promise<void>((resolve) => {
      stdin.write(text, (fault) => {
        if (fault === null || fault === undefined) resolve();
      });
    });
    await Promise.race([taken, tooEarly]);
  }
  stdin.end();
  return await ended;
}

/** The words with the options that they lack: an option can be given once. */
export function withDefaults(words: readonly string[], defaults: Readonly<Record<string, string>>): readonly string[] {
  const missing = Object.entries(defaults).filter(([option]) => !words.includes(option));
  return [...missing.flat(), ...words];
}

/** The one JSON object a command printed. */
export function json(ran: Ran): Record<string, unknown> {
  return JSON.parse(ran.stdout) as Record<string, unknown>;
}

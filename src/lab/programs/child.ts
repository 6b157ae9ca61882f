// A running program: lines in, lines out, and its end, however that comes. Whatever it started is ended with it.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Lines, UnreadableLine } from './lines.ts';
import type { AllowedProgram } from './program.ts';

export interface Launch {
  readonly program: AllowedProgram;
  /** Environment variables that icecore sets for it. */
  readonly variables: Readonly<Record<string, string>>;
  /** The longest line it may print, in bytes. */
  readonly lineBytes: number;
  /**
   * Who converses is ended where it closes its input or its output, or prints what cannot be read. Who reports may read
   * nothing and close what it likes, and of what it prints the readable part is taken.
   */
  readonly manner: 'converses' | 'reports';
}

/** How it came to its end: by itself or for what it did. Told once, after its last line. */
export type End =
  | { readonly kind: 'not-started'; readonly reason: string; readonly code: string | undefined }
  | { readonly kind: 'exit'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'hung-up'; readonly what: string }
  | { readonly kind: 'unreadable'; readonly what: string; readonly said: string };

interface Listener {
  line(text: string): void;
  /** Pieces of its standard error, as they come. */
  aside?(text: string): void;
  end(end: End): void;
}

/** How long one half of an end may wait for the other: a closed output for the exit, an exit for the rest of the output. */
const settleMs = 1000;

/** How long a program may take to end by itself when its input ends. */
const politeMs = 2000;

/** How often it is looked whether all that a program started has ended. */
const lookMs = 20;

export class Child {
  readonly #launch: Launch;
  readonly #listener: Listener;
  readonly #process: ChildProcess;
  readonly #lines: Lines;
  readonly #lastWords = new LastWords();
  readonly #gone = Promise.withResolvers<void>();
  #told = false;
  /** Its standard output and its standard error, as long as there may be something to read. */
  #open = 2;
  #exit: End | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Since it was asked to end. */
  #patience: NodeJS.Timeout | undefined;

  constructor(launch: Launch, listener: Listener) {
    this.#launch = launch;
    this.#listener = listener;
    this.#lines = new Lines(launch.lineBytes, launch.manner === 'converses' ? 'refused' : 'mended');
    const { command, folder, environment } = launch.program;
    const [program, ...words] = command;
    // A group of its own, so that whatever it starts can be ended with it, and Ctrl-C is for icecore alone to answer.
    this.#process = spawn(program, words, {
      cwd: folder,
      env: { ...environment, ...launch.variables },
      stdio: 'pipe',
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    this.#attend(endWithUs(this.#process));
  }

  get lastWords(): readonly string[] {
    return this.#lastWords.lines();
  }

  /** Resolves when the process is gone. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  write(line: string): void {
    const { stdin } = this.#process;
    if (stdin?.writable === true) stdin.write(`${line}\n`);
  }

  /** There is no more to be read for it. */
  endInput(): void {
    this.#process.stdin?.end();
  }

  /** Reads no further until `resume`: the program waits once its pipe is full. */
  pause(): void {
    this.#process.stdout?.pause();
  }

  resume(): void {
    this.#process.stdout?.resume();
  }

  /** Ends it and all it started, at once. Nothing more is told of it. */
  async kill(): Promise<void> {
    this.#tell(undefined);
    killGroup(this.#process);
    this.#release();
    await this.#gone.promise;
  }

  /** Ends its input, upon which it ends by itself; if not, it is made to. Nothing more is told of it. */
  async dismiss(): Promise<void> {
    this.#tell(undefined);
    this.endInput();
    this.resume();
    const patience = setTimeout(() => killGroup(this.#process), politeMs);
    await this.#gone.promise;
    clearTimeout(patience);
    this.#release();
  }

  /**
   * Asks it and all it started to end, and makes them when they have not after so long. What it says until then is told,
   * and so is its end.
   */
  terminate(graceMs: number): void {
    if (this.#exit !== undefined) this.#tell(this.#exit);
    if (this.#told || this.#patience !== undefined) return;
    this.#patience = setTimeout(() => killGroup(this.#process), graceMs);
    signalGroup(this.#process, 'SIGTERM');
  }

  #attend(forget: () => void): void {
    const { stdin, stdout, stderr } = this.#process;
    const converses = this.#launch.manner === 'converses';
    const hungUp = (what: string): End | undefined => (converses ? { kind: 'hung-up', what } : undefined);
    this.#process.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#process.pid !== undefined) return;
      forget();
      this.#notStarted(error);
    });
    this.#process.on('exit', (code, signal) => this.#exited({ kind: 'exit', code, signal }, forget));
    stdin?.on('error', () => this.#settle(hungUp('closed its standard input')));
    stdout?.on('data', (chunk: Buffer) => this.#read(() => this.#lines.take(chunk)));
    stderr?.setEncoding('utf8').on('data', (text: string) => this.#overhear(text));
    stdout?.on('close', () => {
      if (!converses) this.#read(() => this.#lines.rest());
      this.#closed(hungUp('closed its standard output'));
    });
    stderr?.on('close', () => this.#closed(undefined));
  }

  #notStarted(error: NodeJS.ErrnoException): void {
    this.#gone.resolve();
    this.#tell({ kind: 'not-started', reason: whyNotStarted(error, this.#launch.program), code: error.code });
    this.#release();
  }

  /** Those it started have the rest of its patience where it was asked to end, as long as any of them can be heard. */
  #exited(exit: End, forget: () => void): void {
    if (this.#patience !== undefined && this.#open > 0 && signalGroup(this.#process, 0)) {
      setTimeout(() => this.#exited(exit, forget), lookMs);
      return;
    }
    forget();
    clearTimeout(this.#patience);
    // What it left behind would hold its pipes open, and has nobody to work for.
    killGroup(this.#process);
    this.#gone.resolve();
    this.#exit = exit;
    this.#settle(exit);
  }

  #overhear(text: string): void {
    this.#lastWords.hear(text);
    if (!this.#told) this.#listener.aside?.(text);
  }

  #read(lines: () => Iterable<string>): void {
    if (this.#told) return;
    // There is more to read than expected: the end waits for it.
    this.#timer?.refresh();
    try {
      for (const line of lines()) {
        this.#listener.line(line);
        if (this.#told) return;
      }
    } catch (error) {
      if (!(error instanceof UnreadableLine)) throw error;
      this.#tell({ kind: 'unreadable', what: error.message, said: error.said });
      void this.kill();
    }
  }

  #closed(end: End | undefined): void {
    this.#open -= 1;
    this.#settle(this.#exit ?? end);
  }

  /** Tells of the end when it is complete, or when one half of it waits for the other in vain. */
  #settle(end: End | undefined): void {
    if (end === undefined) return;
    if (this.#exit !== undefined && this.#open === 0) this.#tell(this.#exit);
    if (this.#told) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // Whoever holds back the reading still has something to read: the end comes after it.
      if (this.#exit !== undefined && this.#process.stdout?.isPaused() === true) return;
      this.#tell(this.#exit ?? end);
      void this.kill();
    }, settleMs);
  }

  #tell(end: End | undefined): void {
    clearTimeout(this.#timer);
    if (this.#told) return;
    this.#told = true;
    if (end !== undefined) this.#listener.end(end);
  }

  #release(): void {
    const { stdin, stdout, stderr } = this.#process;
    for (const pipe of [stdin, stdout, stderr]) pipe?.destroy();
  }
}

export function whyNotStarted(
  { code, message }: NodeJS.ErrnoException,
  { folder, command: [program] }: Pick<AllowedProgram, 'command' | 'folder'>,
): string {
  if (!existsSync(folder)) return `its working folder ${folder} is not there`;
  if (code === 'ENOENT') return `there is no program ${program}`;
  if (code === 'EACCES') return `${program} may not be executed`;
  return message;
}

// Programs and all they started: a process group each. None of them outlives this process, save where it is killed itself.

/** Ends a program and everything in its group, at once. */
function killGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGKILL');
}

/** Whether there was anybody to get the signal; 0 only asks that. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    return process.platform === 'win32' ? child.kill(signal) : process.kill(-child.pid, signal);
  } catch {
    // Nobody of the group is left.
    return false;
  }
}

const living = new Set<ChildProcess>();

/** Has a program ended when this process exits. Returns how to forget that. */
function endWithUs(child: ChildProcess): () => void {
  if (living.size === 0) process.on('exit', endAll);
  living.add(child);
  return () => {
    living.delete(child);
    if (living.size === 0) process.off('exit', endAll);
  };
}

function endAll(): void {
  for (const child of living) killGroup(child);
}

// The end of what a program says on its standard error: enough to understand what happened, never much.

const longestLine = 500;

export class LastWords {
  readonly #most: number;
  #lines: string[] = [];
  #begun = '';

  /** `most` is how many lines are kept. */
  constructor(most = 20) {
    this.#most = most;
  }

  hear(text: string): void {
    const lines = (this.#begun + text).split('\n');
    this.#begun = written(lines.pop() ?? '').slice(0, longestLine);
    this.#keep(lines.flatMap(shown));
  }

  /** A line by itself, from elsewhere. */
  add(line: string): void {
    this.#keep(shown(line));
  }

  lines(): readonly string[] {
    return [...this.#lines, ...shown(this.#begun)].slice(-this.#most);
  }

  #keep(lines: readonly string[]): void {
    for (const line of lines) this.#lines.push(line);
    if (this.#lines.length > 2 * this.#most) this.#lines = this.#lines.slice(-this.#most);
  }
}

/** Without colours, bells, and what was written over: of a progress bar, the last of its states. */
function shown(line: string): string[] {
  const text = written(line.replace(/\r+$/, ''))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken away
    .replace(/\u001b\[[0-9;]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
    .trimEnd();
  return text === '' ? [] : [text.slice(0, longestLine)];
}

/** What stands there once all is written: a carriage return begins the line anew. */
function written(line: string): string {
  return line.slice(line.slice(0, -1).lastIndexOf('\r') + 1);
}

// Notices when nothing was heard for too long while something is expected.

export class Silence {
  readonly #noticed: (limitMs: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #heard = 0;

  constructor(noticed: (limitMs: number) => void) {
    this.#noticed = noticed;
  }

  /** From now on something is expected within so many milliseconds. */
  expect(limitMs: number): void {
    this.stop();
    this.#timer = setTimeout(() => this.#expire(limitMs), limitMs);
  }

  /** Something was heard: the time begins anew. */
  hear(): void {
    this.#heard += 1;
    this.#timer?.refresh();
  }

  /** Nothing is expected any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Where this process itself was busy all the while, the answer may lie there unread: it is given a turn to be read. */
  #expire(limitMs: number): void {
    const heard = this.#heard;
    const armed = this.#timer;
    setImmediate(() =>
      setImmediate(() => {
        if (this.#timer === armed && armed !== undefined && this.#heard === heard) this.#noticed(limitMs);
      }),
    );
  }
}

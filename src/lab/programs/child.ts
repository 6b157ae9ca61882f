// A running program: lines in, lines out, and its end. All processes it started end with it.
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
   * `converses`: the program is killed if it closes its input or output or prints an unreadable line. `reports`: it may
   * ignore its input and close its streams, and the readable part of its output counts.
   */
  readonly protocol: 'converses' | 'reports';
}

/** How it ended: by itself, or killed for what it did. Reported once, after its last line. */
export type End =
  | { readonly kind: 'not-started'; readonly reason: string; readonly code: string | undefined }
  | { readonly kind: 'exit'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'hung-up'; readonly what: string }
  | { readonly kind: 'unreadable'; readonly what: string; readonly said: string };

interface Listener {
  line(text: string): void;
  /** Receives its standard error in pieces. */
  aside?(text: string): void;
  end(end: End): void;
}

/**
 * How long to wait for the second half of an end: the exit after the output closed, or the rest of the output after the
 * exit.
 */
const settleMs = 1000;

/** How long a program may take to exit after its input ended. */
const politeMs = 2000;

/** How often to check whether all processes of a program have ended. */
const lookMs = 20;

export class Child {
  readonly #launch: Launch;
  readonly #listener: Listener;
  readonly #process: ChildProcess;
  readonly #lines: Lines;
  readonly #lastWords = new LastWords();
  readonly #gone = Promise.withResolvers<void>();
  #isReported = false;
  /** The number of its output streams that are still open. */
  #open = 2;
  #exit: End | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Runs since it was asked to exit. */
  #patience: NodeJS.Timeout | undefined;

  constructor(launch: Launch, listener: Listener) {
    this.#launch = launch;
    this.#listener = listener;
    this.#lines = new Lines(launch.lineBytes, launch.protocol === 'converses' ? 'refused' : 'mended');
    const { command, folder, environment } = launch.program;
    const [program, ...words] = command;
    // A process group of its own, so that all its processes can be killed, and Ctrl-C reaches only icecore.
    this.#process = spawn(program, words, {
      cwd: folder,
      env: { ...environment, ...launch.variables },
      stdio: 'pipe',
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    this.#attend(endWithUs(this.#process));
  }

  /** Undefined if it could not be started. */
  get pid(): number | undefined {
    return this.#process.pid;
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

  /** Ends its standard input. */
  endInput(): void {
    this.#process.stdin?.end();
  }

  /** Stops reading until `resume`: the program blocks once its pipe is full. */
  pause(): void {
    this.#process.stdout?.pause();
  }

  resume(): void {
    this.#process.stdout?.resume();
  }

  /** Kills it and all processes it started, at once. Nothing more is reported. */
  async kill(): Promise<void> {
    this.#tell(undefined);
    killGroup(this.#process);
    this.#release();
    await this.#gone.promise;
  }

  /** Ends its input so that it exits by itself, and kills it if it does not. Nothing more is reported. */
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
   * Asks it and all processes it started to exit, and kills them after the grace period. Output until then is reported,
   * and so is the end.
   */
  terminate(graceMs: number): void {
    if (this.#exit !== undefined) this.#tell(this.#exit);
    if (this.#isReported || this.#patience !== undefined) return;
    this.#patience = setTimeout(() => killGroup(this.#process), graceMs);
    signalGroup(this.#process, 'SIGTERM');
  }

  #attend(forget: () => void): void {
    const { stdin, stdout, stderr } = this.#process;
    const converses = this.#launch.protocol === 'converses';
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

  /**
   * Processes it started get the rest of the grace period if it was asked to exit, while their output is still open.
   */
  #exited(exit: End, forget: () => void): void {
    if (this.#patience !== undefined && this.#open > 0 && signalGroup(this.#process, 0)) {
      setTimeout(() => this.#exited(exit, forget), lookMs);
      return;
    }
    forget();
    clearTimeout(this.#patience);
    // Processes that remain would keep the pipes open without any purpose.
    killGroup(this.#process);
    this.#gone.resolve();
    this.#exit = exit;
    this.#settle(exit);
  }

  #overhear(text: string): void {
    this.#lastWords.hear(text);
    if (!this.#isReported) this.#listener.aside?.(text);
  }

  #read(lines: () => Iterable<string>): void {
    if (this.#isReported) return;
    // More output than expected: the end waits for it.
    this.#timer?.refresh();
    try {
      for (const line of lines()) {
        this.#listener.line(line);
        if (this.#isReported) return;
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

  /** Reports the end when it is complete, or when waiting for its second half times out. */
  #settle(end: End | undefined): void {
    if (end === undefined) return;
    if (this.#exit !== undefined && this.#open === 0) this.#tell(this.#exit);
    if (this.#isReported) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // While reading is paused there may be more to read: the end comes after it.
      if (this.#exit !== undefined && this.#process.stdout?.isPaused() === true) return;
      this.#tell(this.#exit ?? end);
      void this.kill();
    }, settleMs);
  }

  #tell(end: End | undefined): void {
    clearTimeout(this.#timer);
    if (this.#isReported) return;
    this.#isReported = true;
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
  if (!existsSync(folder)) return `its working folder ${folder} does not exist`;
  if (code === 'ENOENT') return `the program ${program} does not exist`;
  if (code === 'EACCES') return `${program} is not executable`;
  return message;
}

// Process groups of programs. None of them outlives this process, unless this process is killed.

/** Kills a program and everything in its group at once. */
function killGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGKILL');
}

/** Whether any process received the signal; 0 only tests that. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    return process.platform === 'win32' ? child.kill(signal) : process.kill(-child.pid, signal);
  } catch {
    // No process of the group is left.
    return false;
  }
}

const living = new Set<ChildProcess>();

/** Kills a program when this process exits. Returns a function that cancels this. */
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

// The last lines of a program's standard error, bounded in size.

const longestLine = 500;

export class LastWords {
  readonly #most: number;
  #lines: string[] = [];
  #begun = '';

  /** `most` is the number of lines to keep. */
  constructor(most = 20) {
    this.#most = most;
  }

  hear(text: string): void {
    const lines = (this.#begun + text).split('\n');
    this.#begun = written(lines.pop() ?? '').slice(0, longestLine);
    this.#keep(lines.flatMap(visibleLines));
  }

  /** Adds a line from another source. */
  add(line: string): void {
    this.#keep(visibleLines(line));
  }

  lines(): readonly string[] {
    return [...this.#lines, ...visibleLines(this.#begun)].slice(-this.#most);
  }

  #keep(lines: readonly string[]): void {
    for (const line of lines) this.#lines.push(line);
    if (this.#lines.length > 2 * this.#most) this.#lines = this.#lines.slice(-this.#most);
  }
}

/** Without colours, control characters and overwritten text: of a progress bar, only the final state remains. */
function visibleLines(line: string): string[] {
  const text = written(line.replace(/\r+$/, ''))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken away
    .replace(/\u001b\[[0-9;]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
    .trimEnd();
  return text === '' ? [] : [text.slice(0, longestLine)];
}

/** The visible text of a line: a carriage return starts the line again. */
function written(line: string): string {
  return line.slice(line.slice(0, -1).lastIndexOf('\r') + 1);
}

// A timeout for the next sign of life.

export class Silence {
  readonly #noticed: (limitMs: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #heard = 0;

  constructor(noticed: (limitMs: number) => void) {
    this.#noticed = noticed;
  }

  /** Expects a sign of life within this time from now. */
  expect(limitMs: number): void {
    this.stop();
    this.#timer = setTimeout(() => this.#expire(limitMs), limitMs);
  }

  /** Restarts the time limit. */
  hear(): void {
    this.#heard += 1;
    this.#timer?.refresh();
  }

  /** Stops the time limit. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** If this process itself was busy, a reply may be waiting unread: it gets a chance to be read first. */
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

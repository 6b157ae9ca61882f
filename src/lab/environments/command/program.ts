// A conversation with one running program: requests out, replies in, each reply to the request whose number it bears.

import { canonicalJson } from '../../../../schemas/canonical.ts';
import { found, type Issue } from '../../../../schemas/errors.ts';
import { isObject, parseJson } from '../../../../schemas/json-text.ts';
import { Child, type End, type Launch, Silence, whyNotStarted } from '../../programs/child.ts';
import { unspeakableIn } from '../../programs/lines.ts';
import { nameOf, ProgramNotStarted, type Witness } from '../../programs/program.ts';
import { ProgramDied, ProgramRefused, ProgramSilent, ProgramTalksNonsense } from './faults.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A request without its number; `do` is what is asked for. */
export type Request = Fields & { readonly do: string };

export interface Limits {
  /** How long the first reply may take: a program may have much to load. */
  readonly startMs: number;
  /** How long a program may say nothing while it is asked for something. */
  readonly replyMs: number;
  /** The longest line it may print, in bytes. */
  readonly lineBytes: number;
}

/** What waits for the replies to one request. */
interface Receiver {
  /** Takes a reply, which was so many characters long; true when it was the last. */
  reply(fields: Fields, length: number): boolean;
  /** There will be no more: the program refused, or is no longer there. */
  fail(error: Error): void;
}

interface Asked {
  readonly request: string;
  readonly receiver: Receiver;
}

export class Program {
  /** Every program is first asked to describe itself: so it is known when it is ready. */
  readonly described: Promise<Fields>;
  readonly #name: string;
  readonly #limits: Limits;
  readonly #child: Child;
  readonly #silence: Silence;
  readonly #asked = new Map<number, Asked>();
  #number = 0;
  #heardOnce = false;
  #paused = false;
  #fault: Error | undefined;

  constructor(launch: Omit<Launch, 'lineBytes' | 'manner'>, limits: Limits) {
    this.#name = nameOf(launch.program.command);
    this.#limits = limits;
    this.#silence = new Silence((limitMs) => this.#break(new ProgramSilent(this.#witness(), limitMs)));
    const whole = { ...launch, lineBytes: limits.lineBytes, manner: 'converses' } as const;
    try {
      this.#child = new Child(whole, { line: (text) => this.#hear(text), end: (end) => this.#ended(end) });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new ProgramNotStarted(this.#witness(), whyNotStarted(error as NodeJS.ErrnoException, launch.program), code);
    }
    this.described = this.ask({ do: 'describe', protocol: 1 });
  }

  /** The command line, as messages show it. */
  get name(): string {
    return this.#name;
  }

  /** Whether it can still be asked. */
  get alive(): boolean {
    return this.#fault === undefined;
  }

  /** Resolves when its process is gone. */
  get gone(): Promise<void> {
    return this.#child.gone;
  }

  send(request: Request, receiver: Receiver): void {
    if (this.#fault !== undefined) {
      receiver.fail(this.#fault);
      return;
    }
    const line = JSON.stringify({ request: this.#number + 1, ...request });
    this.#number += 1;
    this.#asked.set(this.#number, { request: request.do, receiver });
    if (this.#asked.size === 1) this.#expect();
    this.#child.write(line);
  }

  /** Asks for one reply. */
  ask(request: Request): Promise<Fields> {
    return new Promise((resolve, reject) => {
      this.send(request, {
        reply: (fields) => {
          resolve(fields);
          return true;
        },
        fail: reject,
      });
    });
  }

  /** Reads no further until `resume`, and expects nothing meanwhile. */
  pause(): void {
    this.#paused = true;
    this.#child.pause();
    this.#silence.stop();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#child.resume();
    this.#expect();
  }

  /** What is wrong with something it said. */
  nonsense(what: string, said: unknown, issues: readonly Issue[] = []): ProgramTalksNonsense {
    const text = typeof said === 'string' ? said : JSON.stringify(said);
    return new ProgramTalksNonsense(this.#witness(), what, text, issues);
  }

  /** Ends it at once; what it was asked for fails. */
  async kill(fault: Error = new ProgramDied(this.#witness(), stopped, 'was stopped')): Promise<void> {
    this.#fail(fault);
    await this.#child.kill();
  }

  /** Lets it end by itself where it is asked for nothing, and ends it at once where it is: that fails for this reason. */
  async close(reason: Error): Promise<void> {
    const isIdle = this.#asked.size === 0;
    this.#fail(reason);
    await (isIdle ? this.#child.dismiss() : this.#child.kill());
  }

  #hear(text: string): void {
    const reply = replyIn(text);
    if (typeof reply === 'string') {
      this.#break(this.nonsense(reply, text));
      return;
    }
    const number = reply['request'] as number;
    const asked = this.#asked.get(number);
    if (asked === undefined) {
      this.#break(this.nonsense(strangeNumber(number, this.#number), text));
      return;
    }
    this.#heard();
    if (!this.#deliver(asked, reply, text)) return;
    this.#asked.delete(number);
    if (this.#asked.size === 0) this.#silence.stop();
  }

  #heard(): void {
    if (this.#heardOnce) {
      this.#silence.hear();
      return;
    }
    this.#heardOnce = true;
    this.#expect();
  }

  #deliver({ request, receiver }: Asked, reply: Fields, text: string): boolean {
    const { error } = reply;
    if (error === undefined) return receiver.reply(reply, text.length);
    if (!isObject(error) || typeof error['message'] !== 'string') {
      this.#break(this.nonsense('an error without a message', text));
      return false;
    }
    receiver.fail(new ProgramRefused(this.#name, request, error['message'], error['issues']));
    return true;
  }

  #expect(): void {
    if (this.#asked.size === 0 || this.#paused) return;
    this.#silence.expect(this.#heardOnce ? this.#limits.replyMs : this.#limits.startMs);
  }

  #ended(end: End): void {
    const witness = this.#witness();
    switch (end.kind) {
      case 'not-started':
        this.#fail(new ProgramNotStarted(witness, end.reason, end.code));
        break;
      case 'exit':
        this.#fail(new ProgramDied(witness, end));
        break;
      case 'hung-up':
        this.#fail(new ProgramDied(witness, stopped, end.what));
        break;
      case 'unreadable':
        this.#fail(new ProgramTalksNonsense(witness, end.what, end.said));
    }
  }

  #break(fault: Error): void {
    void this.kill(fault);
  }

  #fail(fault: Error): void {
    if (this.#fault !== undefined) return;
    this.#fault = fault;
    this.#silence.stop();
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    for (const { receiver } of asked) receiver.fail(fault);
  }

  #witness(): Witness {
    const during = [...new Set(Array.from(this.#asked.values(), ({ request }) => request))];
    return { role: 'environment', program: this.#name, during, lastWords: this.#child?.lastWords ?? [] };
  }
}

const stopped = { code: null, signal: null } as const;

// The running copies of an environment's program: one, as long as one is enough. While a stream is being read, its program
// answers nothing else, for a reader who is slow must not hold up others; then another copy is started, and kept.

interface Copy {
  readonly program: Program;
  /** How many single requests it is answering. */
  asked: number;
  /** Whether it is held by one who needs it alone. */
  held: boolean;
  /** Whether it was never asked anything but to describe itself. */
  fresh: boolean;
}

export class Programs {
  readonly #start: () => Program;
  readonly #copies = new Set<Copy>();
  #described: string | undefined;
  #closed: Error | undefined;
  #closing: Promise<unknown> | undefined;

  constructor(start: () => Program) {
    this.#start = start;
  }

  /** Starts the first of them, and has `read` look at how it describes itself. All others must do so in the same words. */
  async open<Result>(read: (fields: Fields, program: Program) => Result): Promise<Result> {
    const { program } = this.#add();
    const fields = await program.described;
    this.#described = canonicalJson(fields);
    return read(fields, program);
  }

  /** Asks for one reply; others may be asked of the same program meanwhile. `read` sees who gave it. */
  async ask<Result>(request: Request, read: (fields: Fields, program: Program) => Result): Promise<Result> {
    const copy = this.#find(({ held }) => !held);
    copy.fresh = false;
    copy.asked += 1;
    try {
      return read(await copy.program.ask(request), copy.program);
    } finally {
      copy.asked -= 1;
    }
  }

  /** A program for the caller alone, until it is released; where wanted, one that nobody had before. */
  hold(wanted: 'any' | 'fresh' = 'any'): Held {
    const copy = this.#find(({ held, asked, fresh }) => !held && asked === 0 && (fresh || wanted === 'any'));
    const { program, fresh } = copy;
    copy.fresh = false;
    copy.held = true;
    const release = (): void => {
      copy.held = false;
      program.resume();
    };
    return { program, fresh, release };
  }

  /** Ends all of them. What they are asked for fails for the reason given, and so does every later request. */
  close(reason: Error): Promise<void> {
    this.#closed ??= reason;
    this.#closing ??= Promise.all(Array.from(this.#copies, ({ program }) => program.close(reason)));
    return this.#closing.then(() => {});
  }

  #find(fits: (copy: Copy) => boolean): Copy {
    if (this.#closed !== undefined) throw this.#closed;
    for (const copy of this.#copies) if (copy.program.alive && fits(copy)) return copy;
    return this.#add();
  }

  #add(): Copy {
    const program = this.#start();
    const copy = { program, asked: 0, held: false, fresh: true };
    this.#copies.add(copy);
    void program.gone.then(() => this.#copies.delete(copy));
    program.described.then(
      (fields) => this.#compare(fields, program),
      () => {},
    );
    return copy;
  }

  #compare(fields: Fields, program: Program): void {
    if (this.#described === undefined || this.#described === canonicalJson(fields)) return;
    void program.kill(program.nonsense('another description than when it was first started', fields));
  }
}

interface Held {
  readonly program: Program;
  /** Whether nobody had it before. */
  readonly fresh: boolean;
  release(): void;
}

// One line of a program as a reply, or what is wrong with it.

/** The reply that a line is, or in words what it is instead. */
function replyIn(text: string): Readonly<Record<string, unknown>> | string {
  let reply: unknown;
  try {
    reply = parseJson(text);
  } catch {
    return hintsAtNaN(text) ? 'NaN or Infinity, which is no JSON' : 'a line that is no JSON';
  }
  if (!isObject(reply)) return `${found(reply)}, where a reply is an object`;
  if (reply['request'] === undefined) return 'a reply without the number of its request';
  return unspeakableIn(reply, text) ?? reply;
}

const hintsAtNaN = (text: string): boolean => /[:[,]\s*-?(?:NaN|Infinity)\b/.test(text);

/** A number that no request waiting for a reply has; `last` is that of the last request. */
function strangeNumber(number: unknown, last: number): string {
  const wasAsked = Number.isInteger(number) && (number as number) >= 1 && (number as number) <= last;
  return `a reply to request ${wasAsked ? `${number}, which is over` : `${found(number)}, which was never made`}`;
}

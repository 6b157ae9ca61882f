// A conversation with one running program: each reply carries the number of its request.

import { canonicalJson } from '../../../../schemas/canonical.ts';
import { found, type Issue } from '../../../../schemas/errors.ts';
import { isObject, parseJson } from '../../../../schemas/json-text.ts';
import { Child, type End, type Launch, Silence, whyNotStarted } from '../../programs/child.ts';
import { unrecordableIn } from '../../programs/lines.ts';
import { nameOf, ProgramNotStarted, type Witness } from '../../programs/program.ts';
import { InvalidReply, ProgramDied, ProgramRefused, ProgramSilent } from './faults.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A request without its number; `do` is the kind of request. */
export type Request = Fields & { readonly do: string };

export interface Limits {
  /** The time limit for the first reply, because a program may have much to load. */
  readonly startMs: number;
  /** The time limit for each reply while a request is pending. */
  readonly replyMs: number;
  /** The longest line it may print, in bytes. */
  readonly lineBytes: number;
}

/** Receives the replies to one request. */
interface Receiver {
  /** Takes a reply and its length in characters; returns true after the last one. */
  reply(fields: Fields, length: number): boolean;
  /** No more replies will come: the program refused the request or is gone. */
  fail(error: Error): void;
}

interface PendingRequest {
  readonly request: string;
  readonly receiver: Receiver;
}

export class Program {
  /** The description is always the first request, so it also shows when the program is ready. */
  readonly described: Promise<Fields>;
  readonly #name: string;
  readonly #limits: Limits;
  readonly #child: Child;
  readonly #silence: Silence;
  readonly #pending = new Map<number, PendingRequest>();
  #number = 0;
  #heardOnce = false;
  #paused = false;
  #fault: Error | undefined;

  constructor(launch: Omit<Launch, 'lineBytes' | 'protocol'>, limits: Limits) {
    this.#name = nameOf(launch.program.command);
    this.#limits = limits;
    this.#silence = new Silence((limitMs) => this.#break(new ProgramSilent(this.#witness(), limitMs)));
    const whole = { ...launch, lineBytes: limits.lineBytes, protocol: 'converses' } as const;
    try {
      this.#child = new Child(whole, { line: (text) => this.#hear(text), end: (end) => this.#ended(end) });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new ProgramNotStarted(this.#witness(), whyNotStarted(error as NodeJS.ErrnoException, launch.program), code);
    }
    this.described = this.ask({ do: 'describe', protocol: 1 });
  }

  /** The command line for messages. */
  get name(): string {
    return this.#name;
  }

  /** Whether it accepts requests. */
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
    this.#pending.set(this.#number, { request: request.do, receiver });
    if (this.#pending.size === 1) this.#expect();
    this.#child.write(line);
  }

  /** Sends a request with one reply. */
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

  /** Stops reading until `resume`; no timeout runs meanwhile. */
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

  /** The error for an invalid reply. */
  invalidReply(what: string, said: unknown, issues: readonly Issue[] = []): InvalidReply {
    const text = typeof said === 'string' ? said : JSON.stringify(said);
    return new InvalidReply(this.#witness(), what, text, issues);
  }

  /** Kills it at once; pending requests fail. */
  async kill(fault: Error = new ProgramDied(this.#witness(), stopped, 'was stopped')): Promise<void> {
    this.#fail(fault);
    await this.#child.kill();
  }

  /** Lets it exit by itself if it is idle, otherwise kills it; pending requests fail with this reason. */
  async close(reason: Error): Promise<void> {
    const isIdle = this.#pending.size === 0;
    this.#fail(reason);
    await (isIdle ? this.#child.dismiss() : this.#child.kill());
  }

  #hear(text: string): void {
    const reply = replyIn(text);
    if (typeof reply === 'string') {
      this.#break(this.invalidReply(reply, text));
      return;
    }
    const number = reply['request'] as number;
    const asked = this.#pending.get(number);
    if (asked === undefined) {
      this.#break(this.invalidReply(strangeNumber(number, this.#number), text));
      return;
    }
    this.#heard();
    if (!this.#deliver(asked, reply, text)) return;
    this.#pending.delete(number);
    if (this.#pending.size === 0) this.#silence.stop();
  }

  #heard(): void {
    if (this.#heardOnce) {
      this.#silence.hear();
      return;
    }
    this.#heardOnce = true;
    this.#expect();
  }

  #deliver({ request, receiver }: PendingRequest, reply: Fields, text: string): boolean {
    const { error } = reply;
    if (error === undefined) return receiver.reply(reply, text.length);
    if (!isObject(error) || typeof error['message'] !== 'string') {
      this.#break(this.invalidReply('an error without a message', text));
      return false;
    }
    receiver.fail(new ProgramRefused(this.#name, request, error['message'], error['issues']));
    return true;
  }

  #expect(): void {
    if (this.#pending.size === 0 || this.#paused) return;
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
        this.#fail(new InvalidReply(witness, end.what, end.said));
    }
  }

  #break(fault: Error): void {
    void this.kill(fault);
  }

  #fail(fault: Error): void {
    if (this.#fault !== undefined) return;
    this.#fault = fault;
    this.#silence.stop();
    const asked = [...this.#pending.values()];
    this.#pending.clear();
    for (const { receiver } of asked) receiver.fail(fault);
  }

  #witness(): Witness {
    const during = [...new Set(Array.from(this.#pending.values(), ({ request }) => request))];
    return { role: 'environment', program: this.#name, during, lastWords: this.#child?.lastWords ?? [] };
  }
}

const stopped = { code: null, signal: null } as const;

// The running copies of an environment's program: one as long as one is enough. While a stream is being read, its
// program answers nothing else, because a slow reader must not hold up others; another copy is started then and kept.

interface Copy {
  readonly program: Program;
  /** The number of single requests in flight. */
  asked: number;
  /** Whether a caller holds it exclusively. */
  held: boolean;
  /** Whether it was only asked for its description. */
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

  /** Starts the first copy and lets `read` check its description. All other copies must give the same description. */
  async open<Result>(read: (fields: Fields, program: Program) => Result): Promise<Result> {
    const { program } = this.#add();
    const fields = await program.described;
    this.#described = canonicalJson(fields);
    return read(fields, program);
  }

  /** Sends a request with one reply; the same program may serve others meanwhile. `read` also gets the program. */
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

  /** Reserves a program until it is released; `fresh` means one that was never used. */
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

  /** Ends all copies. Pending and later requests fail with the given reason. */
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
    void program.kill(program.invalidReply('a different description than at its first start', fields));
  }
}

interface Held {
  readonly program: Program;
  /** Whether it was never used before. */
  readonly fresh: boolean;
  release(): void;
}

// Parses one line of a program as a reply.

/** The reply, or a description of what the line is instead. */
function replyIn(text: string): Readonly<Record<string, unknown>> | string {
  let reply: unknown;
  try {
    reply = parseJson(text);
  } catch {
    return hintsAtNaN(text) ? 'NaN or Infinity, which is not JSON' : 'a line that is not JSON';
  }
  if (!isObject(reply)) return `${found(reply)} instead of an object`;
  if (reply['request'] === undefined) return 'a reply without the number of its request';
  return unrecordableIn(reply, text) ?? reply;
}

const hintsAtNaN = (text: string): boolean => /[:[,]\s*-?(?:NaN|Infinity)\b/.test(text);

/** Describes a number that belongs to no pending request; `last` is the number of the last request. */
function strangeNumber(number: unknown, last: number): string {
  const wasAsked = Number.isInteger(number) && (number as number) >= 1 && (number as number) <= last;
  return `a reply to request ${wasAsked ? `${number}, which is over` : `${found(number)}, which was never made`}`;
}

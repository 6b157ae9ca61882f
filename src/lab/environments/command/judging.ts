// Judging by a program: many tries under way at once, and no answer that takes the others with it. A program that dies,
// hangs or talks nonsense at an answer is started anew; each of the tries that may have been the cause is judged once
// more, alone, and the one at which it happens again is spoilt. Where it happens again and again, it is no answer's fault.
import { ProgramFault, ProgramNotStarted } from '../../programs/program.ts';
import type { Try, Verdict } from '../environment.ts';
import { ProgramDied, ProgramRefused, ProgramSilent } from './faults.ts';
import type { Fields, Program, Programs, Request } from './program.ts';
import type { Verdicts } from './replies.ts';

/** So many tries are under way at once. */
export const judgedTogether = 64;

/**
 * So many tries spoilt one after the other, and it is not for what was answered. A policy may give the same bad answer many
 * times in a row, but not before a program that works has shown that it does.
 */
const mostInSequence = { beforeAnyVerdict: 3, afterwards: 32 } as const;

export class Judging {
  readonly #programs: Programs;
  readonly #verdicts: Verdicts;
  #hasJudged = false;
  #spoiltInSequence = 0;
  #lastAlone: Promise<unknown> = Promise.resolve();

  constructor(programs: Programs, verdicts: Verdicts) {
    this.#programs = programs;
    this.#verdicts = verdicts;
  }

  async verdict(tried: Try): Promise<Verdict> {
    try {
      return this.#judged(await this.#programs.ask(requestOf(tried), this.#read));
    } catch (error) {
      return error instanceof ProgramFault ? this.#suspected(error, tried) : refused(error);
    }
  }

  /** The fault came while several were under way. */
  #suspected(fault: ProgramFault, tried: Try): Promise<Verdict> {
    if (fault instanceof ProgramNotStarted) throw fault;
    const verdict = this.#lastAlone.then(() => this.#alone(tried));
    this.#lastAlone = verdict.catch(() => {});
    return verdict;
  }

  /** Where the program was asked for others before, it may be one of those that it dies of now: only a fresh one tells. */
  async #alone(tried: Try, wanted: 'any' | 'fresh' = 'any'): Promise<Verdict> {
    const { program, fresh, release } = this.#programs.hold(wanted);
    try {
      return this.#judged(this.#read(await program.ask(requestOf(tried)), program));
    } catch (error) {
      if (!(error instanceof ProgramFault)) return refused(error);
      return fresh ? this.#spoilt(error) : await this.#alone(tried, 'fresh');
    } finally {
      release();
    }
  }

  /** A verdict that cannot be meant is the fault of this try and of no other: the program is alive and goes on. */
  readonly #read = (fields: Fields, program: Program): Verdict | ProgramFault => {
    try {
      return this.#verdicts.read(fields, program);
    } catch (error) {
      if (error instanceof ProgramFault) return error;
      throw error;
    }
  };

  #judged(read: Verdict | ProgramFault): Verdict {
    if (read instanceof ProgramFault) return this.#spoilt(read);
    this.#hasJudged = true;
    this.#spoiltInSequence = 0;
    return read;
  }

  #spoilt(fault: ProgramFault): Verdict {
    this.#spoiltInSequence += 1;
    const most = this.#hasJudged ? mostInSequence.afterwards : mostInSequence.beforeAnyVerdict;
    if (this.#spoiltInSequence >= most) throw fault;
    return { spoilt: { kind: kindOf(fault), message: fault.message } };
  }
}

function requestOf({ task: { instance }, answer, truncated }: Try): Request {
  return { do: 'judge', instance, answer: answer ?? null, ...(truncated === undefined ? {} : { truncated }) };
}

/** A program that says that it cannot judge an answer is taken at its word. */
function refused(error: unknown): Verdict {
  if (error instanceof ProgramRefused) return { spoilt: { kind: 'refused', message: error.says } };
  throw error;
}

function kindOf(fault: ProgramFault): string {
  if (fault instanceof ProgramDied) return 'crashed';
  return fault instanceof ProgramSilent ? 'timeout' : 'nonsense';
}

// Many things done at once, with their results in the order of what they were done to.

type Slot<Result> = { settled: false } | { settled: true; result: Result } | { settled: true; error: unknown };

/**
 * Takes from the source as long as fewer than `width` are under way or waiting to be read. An error, of the source or of
 * `work`, is thrown in its place, after the results before it. When the signal aborts, its reason is thrown at once.
 */
export async function* inOrder<Item, Result>(
  source: Iterable<Item> | AsyncIterable<Item>,
  width: number,
  work: (item: Item) => Promise<Result>,
  signal?: AbortSignal,
): AsyncGenerator<Result, void, undefined> {
  const line = new Line(source, width, work);
  const abort = (): void => line.wake();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    for (;;) {
      signal?.throwIfAborted();
      const slot = line.take();
      if (slot === 'ended') return;
      if (slot === 'waiting') await line.woken();
      else if ('error' in slot) throw slot.error;
      else yield slot.result;
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    await line.leave();
  }
}

class Line<Item, Result> {
  readonly #iterator: Iterator<Item> | AsyncIterator<Item>;
  readonly #width: number;
  readonly #work: (item: Item) => Promise<Result>;
  readonly #slots: { now: Slot<Result> }[] = [];
  #asking = false;
  #ended = false;
  #wake: () => void = () => {};

  constructor(source: Iterable<Item> | AsyncIterable<Item>, width: number, work: (item: Item) => Promise<Result>) {
    this.#iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
    this.#width = width;
    this.#work = work;
  }

  /** The next in line once it is settled. */
  take(): Extract<Slot<Result>, { settled: true }> | 'waiting' | 'ended' {
    const first = this.#slots[0]?.now;
    if (first?.settled === true) this.#slots.shift();
    void this.#fill();
    if (first?.settled === true) return first;
    return first === undefined && this.#ended ? 'ended' : 'waiting';
  }

  woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake();
  }

  /** Asks for no more. A source that is just being asked cannot be told before it has answered. */
  async leave(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const left = this.#iterator.return?.();
    if (!this.#asking) await left;
    else if (left instanceof Promise) left.catch(() => {});
  }

  async #fill(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    try {
      while (!this.#ended && this.#slots.length < this.#width) {
        const next = await this.#iterator.next();
        if (this.#ended) break;
        if (next.done === true) this.#ended = true;
        else this.#begin(next.value);
      }
    } catch (error) {
      this.#ended = true;
      this.#slots.push({ now: { settled: true, error } });
    }
    this.#asking = false;
    if (this.#ended) this.wake();
  }

  #begin(item: Item): void {
    const slot: { now: Slot<Result> } = { now: { settled: false } };
    this.#slots.push(slot);
    this.#work(item).then(
      (result) => this.#settle(slot, { settled: true, result }),
      (error) => this.#settle(slot, { settled: true, error }),
    );
  }

  #settle(slot: { now: Slot<Result> }, now: Slot<Result>): void {
    slot.now = now;
    if (slot === this.#slots[0]) this.wake();
  }
}

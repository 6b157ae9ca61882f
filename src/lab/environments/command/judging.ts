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

// Judging by a program with many requests in flight, so that one bad answer does not spoil the others. If the program
// dies, hangs or sends an invalid reply, it is restarted and each suspected try is judged again alone; a try that fails
// again is marked invalid. If failures repeat many times in a row, the program itself is at fault.
import { ProgramFault, ProgramNotStarted } from '../../programs/program.ts';
import type { Try, Verdict } from '../environment.ts';
import { ProgramDied, ProgramRefused, ProgramSilent } from './faults.ts';
import type { Fields, Program, Programs, Request } from './program.ts';
import type { Verdicts } from './replies.ts';

/** The maximum number of tries in flight. */
export const judgedTogether = 64;

/**
 * This many invalid tries in a row mean that the program is broken. A policy may give the same bad answer many times in
 * a row, so the limit is higher once the program has judged something.
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

  /** The fault occurred while several tries were in flight. */
  #suspected(fault: ProgramFault, tried: Try): Promise<Verdict> {
    if (fault instanceof ProgramNotStarted) throw fault;
    const verdict = this.#lastAlone.then(() => this.#alone(tried));
    this.#lastAlone = verdict.catch(() => {});
    return verdict;
  }

  /**
   * A program that was asked before may have failed because of an earlier try: only a fresh one gives a clear answer.
   */
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

  /** An invalid verdict is the fault of this try only: the program is still alive. */
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

/** A program may refuse to judge an answer. */
function refused(error: unknown): Verdict {
  if (error instanceof ProgramRefused) return { spoilt: { kind: 'refused', message: error.says } };
  throw error;
}

function kindOf(fault: ProgramFault): string {
  if (fault instanceof ProgramDied) return 'crashed';
  return fault instanceof ProgramSilent ? 'timeout' : 'nonsense';
}

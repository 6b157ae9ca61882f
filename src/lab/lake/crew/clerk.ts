// Does one duty line after line, in the same memory. For every line there is one reply, whatever the line holds: whoever
// sent it waits for what comes of it.
import { parseJson } from '../../../../schemas/json-text.ts';
import { NotAnInstance } from '../instance.ts';
import { instanceOf } from '../line.ts';
import type { Answered, Fields, LineDuty, Reply } from './duty.ts';
import { Judging } from './judging.ts';
import { Solving } from './solving.ts';

export class Clerk {
  readonly #work: Solving | Judging;

  constructor({ verb, effort }: LineDuty) {
    this.#work = verb === 'solve' ? new Solving(effort) : new Judging(effort);
  }

  answer(texts: readonly string[]): Answered<Reply> {
    const begun = performance.now();
    const replies = texts.map((text) => this.reply(text));
    return { replies, ms: performance.now() - begun };
  }

  reply(text: string): Reply {
    const line = parsed(text);
    if (line === undefined) return { id: null, fault: null };
    try {
      return JSON.stringify(this.#work.answer(instanceOf(line), line as Fields));
    } catch (error) {
      if (!(error instanceof NotAnInstance)) throw error;
      return { id: idOf(line), fault: { message: error.message, facts: error.facts } };
    }
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function idOf(line: unknown): string | null {
  const id = (line as Fields | null)?.['id'];
  return typeof id === 'string' ? id : null;
}

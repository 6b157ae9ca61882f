// One proposal of a model: it is asked, and where its answer cannot be used as it is, once more with what is wrong.
import type { Issue } from '../../../../schemas/errors.ts';
import { type Answered, isTruncated, type Question } from '../../models/conversation.ts';
import { type FaultKind, ModelFault } from '../../models/faults.ts';
import type { Model } from '../../models/model.ts';
import { withoutInvented } from '../citations.ts';
import type { Answer, Asked, NoProposal } from '../engineer.ts';
import { EngineerFailed } from '../errors.ts';
import { readProposal, type Standard, type Unusable, type Usable, whole } from '../proposal-reading.ts';
import { withKnobsByName } from './by-name.ts';
import { repairOf } from './repair.ts';
import { spentOn } from './spent.ts';

/** An answer, read; with `isLast` it is of no use to ask once more. */
type Read = Usable | (Unusable & { readonly isLast?: boolean });

/** What of a question is the same for all of them. */
export type Common = Omit<Question, 'messages' | 'purpose'>;

export class Asking {
  readonly #model: Model;
  readonly #asked: Asked;
  readonly #common: Common;
  readonly #standard: Standard;
  readonly #heard: Answered[] = [];

  constructor(model: Model, asked: Asked, common: Common, standard: Standard) {
    this.#model = model;
    this.#asked = asked;
    this.#common = common;
    this.#standard = standard;
  }

  /** Throws EngineerFailed, a ModelFault where no other question would fare better, and the signal's reason. */
  async answer(prompt: string): Promise<Answer> {
    const first = await this.#ask('proposal', [{ role: 'user', content: prompt }], true);
    const issues = worthRepair(first);
    if (issues.length === 0) return this.#told(first);
    const said = this.#heard[0]?.answer ?? '';
    const second = await this.#ask('repair', repairOf(prompt, said, issues), 'reason' in first);
    return this.#told(better(first, second));
  }

  /** `isNeeded`: without this answer there is no proposal. */
  async #ask(purpose: string, messages: Question['messages'], isNeeded: boolean): Promise<Read> {
    try {
      const answered = await this.#model.ask({ ...this.#common, purpose, messages });
      this.#heard.push(answered);
      const text = this.#model.textOf(answered);
      return isTruncated(answered) ? wasCut : readProposal(text, this.#standard);
    } catch (fault) {
      if (!(fault instanceof ModelFault) || (fault.isHopeless && isNeeded)) throw fault;
      const reason = reasons[fault.fault];
      if (reason === undefined && isNeeded) throw this.#failed(fault);
      return { reason: reason ?? 'unreadable', issues: [whole(fault.message)], isLast: true };
    }
  }

  #told(read: Read): Answer {
    const spent = spentOn(this.#heard);
    if ('reason' in read) {
      const { reason, issues } = read;
      return { rejected: { reason, issues: [...issues], raw: this.#raw(), ...spent } };
    }
    const { descriptor, current } = this.#asked;
    const content = withoutInvented(read.content, this.#standard.evidenceIds);
    const configuration = withKnobsByName(descriptor, current, content.configuration);
    return { proposal: { ...content, configuration, ...spent } };
  }

  #failed({ fault, message, remedy }: ModelFault): EngineerFailed {
    const failure = fault === 'timeout' ? 'timeout' : 'unavailable';
    return new EngineerFailed(failure, message, { raw: this.#raw(), remedy, ...spentOn(this.#heard) });
  }

  /** The last there was. */
  #raw(): NoProposal['raw'] {
    const text = this.#heard.findLast(({ answer }) => answer !== null)?.answer;
    return text === undefined || text === null ? null : { text };
  }
}

/** More of the same would be cut again, and be paid for again. */
const wasCut: Read = {
  reason: 'unreadable',
  issues: [{ field: 'answer', found: 'a text that was cut before its end', allowed: 'a whole one: raise max_tokens' }],
  isLast: true,
};

/** Faults with which the model did answer; the others keep it from answering. */
const reasons: Partial<Record<FaultKind, NoProposal['reason']>> = {
  refusal: 'refused',
  'content-filter': 'refused',
  'tool-calls': 'unreadable',
  'too-large': 'unreadable',
};

/**
 * Values that can be moved to allowed ones are moved, and not worth a request of their own; where there is one for other
 * reasons they are told as well.
 */
function worthRepair(read: Read): readonly Issue[] {
  if ('reason' in read) return read.isLast === true ? [] : read.issues;
  return read.invented.length === 0 ? [] : [...read.invented, ...read.moved];
}

/** An answer that cites what there is not goes before none. */
function better(first: Read, second: Read): Read {
  if (!('reason' in second)) return second;
  if (!('reason' in first)) return first;
  return second.isLast === true ? { ...second, issues: [...second.issues, ...first.issues] } : second;
}

// An engineer that is a model behind an endpoint: it gets the environment's description and the context as data, and
// answers in JSON. `base` and `checkpoint` also work this way when a checkpoint is served.

import type { Issue } from '../../../schemas/errors.ts';
import type { Answered, Cost, Question, Snapshot } from '../models/conversation.ts';
import { type FaultKind, ModelFault } from '../models/faults.ts';
import type { Model } from '../models/model.ts';
import type { Checkpoint } from '../policies/policy.ts';
import { Random } from '../random.ts';
import type { Check } from './decision.ts';
import {
  type Answer,
  type Engineer,
  EngineerClosed,
  EngineerFailed,
  type NoProposal,
  type ProposalRequest,
  type Spent,
} from './engineer.ts';
import { better, languageKind, languageVersion, meantBy, type Read, readText, standardOf } from './language-reading.ts';
import { heldToForm, promptFor, repairOf } from './prompts.ts';
import { type Standard, whole } from './proposal-reading.ts';

export interface LanguageEngineerSettings {
  /** Shared with other users, so the engineer does not close it. */
  readonly model: Model;
  /** Its name: gpt, base, checkpoint@2. */
  readonly name: string;
  /** All modules that a context may have: the model uses what it is shown. */
  readonly reads: readonly string[];
  /** The environment's own check, beyond the descriptor. */
  readonly check: Check;
  /** Chooses the checkpoint to ask from the current one; null for the model as configured. */
  readonly snapshot: (checkpoint: Checkpoint | null) => Snapshot | null;
}

export function openLanguageEngineer({ model, name, reads, check, snapshot }: LanguageEngineerSettings): Engineer {
  const { name: endpoint, model: served, parameters, schemas } = model.entry;
  const closing = new AbortController();
  return {
    identity: {
      name,
      version: languageVersion,
      model: served,
      reads: [...reads],
      parameters: { kind: languageKind, endpoint, parameters, schemas },
    },
    reads,

    propose: async (request) => {
      const signal = AbortSignal.any([closing.signal, ...(request.signal === undefined ? [] : [request.signal])]);
      signal.throwIfAborted();
      const { descriptor, checkpoint, sample } = request;
      const common = {
        sample,
        checkpoint: snapshot(checkpoint),
        seed: seedNumberOf(request),
        signal,
        ...(schemas ? { parameters: heldToForm(descriptor) } : {}),
      };
      return await new Asking(model, request, common, standardOf(request, check)).answer(promptFor(request));
    },

    close: async () => {
      closing.abort(new EngineerClosed(name));
    },
  };
}

/** All endpoints accept 31-bit integers. */
function seedNumberOf({ seed, sample }: ProposalRequest): number {
  return new Random(seed, 'engineer', 'language', sample).below(2 ** 31);
}

// One proposal of a model: ask once, and if the answer is unusable ask again with its issues.

/** The part of a question that is the same for all of them. */
type Common = Omit<Question, 'messages' | 'purpose'>;

class Asking {
  readonly #model: Model;
  readonly #request: ProposalRequest;
  readonly #common: Common;
  readonly #standard: Standard;
  readonly #heard: Answered[] = [];

  constructor(model: Model, request: ProposalRequest, common: Common, standard: Standard) {
    this.#model = model;
    this.#request = request;
    this.#common = common;
    this.#standard = standard;
  }

  /** Throws EngineerFailed, a ModelFault that other questions would hit as well, or the signal's reason. */
  async answer(prompt: string): Promise<Answer> {
    const first = await this.#ask('proposal', [{ role: 'user', content: prompt }], true);
    const issues = worthRepair(first);
    if (issues.length === 0) return this.#answerFrom(first);
    const said = this.#heard[0]?.answer ?? '';
    const second = await this.#ask('repair', repairOf(prompt, said, issues), 'reason' in first);
    return this.#answerFrom(better(first, second));
  }

  /** `isNeeded`: without this answer there is no proposal. */
  async #ask(purpose: string, messages: Question['messages'], isNeeded: boolean): Promise<Read> {
    try {
      const answered = await this.#model.ask({ ...this.#common, purpose, messages });
      this.#heard.push(answered);
      return readText(this.#model.textOf(answered), answered, this.#standard);
    } catch (fault) {
      if (!(fault instanceof ModelFault) || (fault.isHopeless && isNeeded)) throw fault;
      const reason = reasons[fault.fault];
      if (reason === undefined && isNeeded) throw this.#failed(fault);
      return { reason: reason ?? 'unreadable', issues: [whole(fault.message)], isLast: true };
    }
  }

  #answerFrom(read: Read): Answer {
    const spent = spentOn(this.#heard);
    if ('reason' in read) {
      const { reason, issues } = read;
      return { rejected: { reason, issues: [...issues], raw: this.#raw(), ...spent } };
    }
    return { proposal: { ...meantBy(read.content, this.#request, this.#standard), ...spent } };
  }

  #failed({ fault, message, remedy }: ModelFault): EngineerFailed {
    const failure = fault === 'timeout' ? 'timeout' : 'unavailable';
    return new EngineerFailed(failure, message, { raw: this.#raw(), remedy, ...spentOn(this.#heard) });
  }

  /** The last raw answer. */
  #raw(): NoProposal['raw'] {
    const text = this.#heard.findLast(({ answer }) => answer !== null)?.answer;
    return text === undefined || text === null ? null : { text };
  }
}

/** Faults that are answers of the model; all other faults prevent an answer. */
const reasons: Partial<Record<FaultKind, NoProposal['reason']>> = {
  refusal: 'refused',
  'content-filter': 'refused',
  'tool-calls': 'unreadable',
  'too-large': 'unreadable',
};

/**
 * Values that can be clamped are not worth a second request; if one is needed for other reasons, it mentions them too.
 */
function worthRepair(read: Read): readonly Issue[] {
  if ('reason' in read) return read.isLast === true ? [] : read.issues;
  return read.invented.length === 0 ? [] : [...read.invented, ...read.moved];
}

// Usage and cost of several answers. A sum is only reported if every answer reports the amount.

function spentOn(heard: readonly Answered[]): Spent {
  const usage = sumOf(heard.map(({ usage }) => usage));
  const cost = costOf(heard.map(({ cost }) => cost));
  const measured = sumOf(heard.map(({ measured = {} }) => numbersIn(measured)));
  return {
    answers: heard.map(({ key }) => ({ key })),
    ...(usage === undefined ? {} : { usage }),
    ...(cost === undefined ? {} : { cost }),
    ...(measured === undefined ? {} : { measured }),
  };
}

type Amounts = Readonly<Record<string, number>>;

/** The amounts that all of them report; undefined if there are none. */
function sumOf(all: readonly (Amounts | undefined)[]): Record<string, number> | undefined {
  const kinds = Object.keys(all[0] ?? {}).filter((kind) => all.every((one) => one?.[kind] !== undefined));
  if (kinds.length === 0) return undefined;
  return Object.fromEntries(kinds.map((kind) => [kind, all.reduce((sum, one) => sum + (one?.[kind] ?? 0), 0)]));
}

/** All answers of one model have the same prices. */
function costOf(all: readonly (Cost | undefined)[]): Cost | undefined {
  const [first] = all;
  if (first === undefined || all.includes(undefined)) return undefined;
  const total = all.reduce((sum, cost) => sum + (cost?.total ?? 0), 0);
  const parts = sumOf(all.map((cost) => cost?.parts));
  return { ...first, total, ...(parts === undefined ? {} : { parts }) };
}

function numbersIn(measured: Readonly<Record<string, unknown>>): Amounts {
  return Object.fromEntries(
    Object.entries(measured).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}

// A model behind an OpenAI-compatible endpoint: takes a question and returns an answer, which is recorded before it is
// used, or throws a fault.
import { IcecoreError } from '../../../schemas/errors.ts';
import { measure, type Observed, traced } from '../../base/tracing.ts';
import { Random } from '../random.ts';
import { type Completion, possible } from './answers.ts';
import { type Clock, pause, raced, systemClock } from './clock.ts';
import { type Answered, type Book, type Question, type Snapshot, silenceOf } from './conversation.ts';
import type { ModelEntry } from './entries.ts';
import { exchange } from './exchange.ts';
import {
  CalledTools,
  Filtered,
  longestWaitMs,
  ModelFault,
  type Place,
  RateLimited,
  Refused,
  ServerFailed,
} from './faults.ts';
import { Gate } from './gate.ts';
import { read, waitUntilReset } from './reading.ts';
import { type Prepared, placeOf, prepare, questioning } from './request.ts';
import type { Secret } from './secret.ts';
import { costOf, mostCost, outputLimit, type Spending } from './spending.ts';

export interface ModelSettings {
  readonly entry: ModelEntry;
  /** The value of the key that the entry names. */
  readonly secret: Secret | null;
  /** Storage for answers; without it answers are not stored. */
  readonly book?: Book;
  /** The spending cap of all models together. */
  readonly spending?: Spending;
  /** Returns once the server serves a checkpoint under this name. Absent: it always does. */
  readonly serve?: (name: string, checkpoint: Snapshot, signal: AbortSignal) => Promise<void>;
  readonly clock?: Clock;
}

export class ModelClosed extends IcecoreError {
  override readonly name = 'ModelClosed';

  constructor(model: string) {
    super('internal', `the model ${model} is closed`, { facts: { model } });
  }
}

/** A rough estimate. */
const bytesPerToken = 4;

export class Model {
  readonly entry: ModelEntry;
  /** What faults name. */
  readonly place: Place;
  readonly #settings: ModelSettings;
  readonly #clock: Clock;
  readonly #gate: Gate;
  readonly #closing = new AbortController();
  /** Questions in progress, by the key of their answer. */
  readonly #asking = new Map<string, Promise<Answered>>();

  /** Throws CostUnknown if there is a cap and the cost of an answer cannot be bounded. */
  constructor(settings: ModelSettings) {
    const { entry, spending, clock = systemClock } = settings;
    spending?.check(entry, entry.parameters);
    this.entry = entry;
    this.place = placeOf(entry);
    this.#settings = settings;
    this.#clock = clock;
    this.#gate = new Gate(entry.concurrency, entry.tokensPerMinute, clock);
  }

  /**
   * Returns the recorded answer if the question was asked before, and shares the answer of an identical question in
   * progress. Throws a ModelFault, or the signal's reason.
   */
  async ask(question: Question): Promise<Answered> {
    const signal = AbortSignal.any([this.#closing.signal, ...(question.signal === undefined ? [] : [question.signal])]);
    const prepared = prepare(this.entry, question);
    const { key } = prepared.asked;
    for (;;) {
      signal.throwIfAborted();
      const underWay = this.#asking.get(key);
      if (underWay === undefined) break;
      try {
        return await raced(underWay, signal);
      } catch (error) {
        // If the first caller was aborted, the others still need an answer.
        if (error instanceof ModelFault) throw error;
      }
    }
    const asking = this.#answer(question, prepared, signal).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return await asking;
  }

  /** The text of an answer. Throws Refused, Filtered or CalledTools if there is none. */
  textOf(answered: Answered): string {
    const text = answered.answer ?? '';
    switch (silenceOf(answered)) {
      case 'refusal':
        throw new Refused(this.place, text);
      case 'content-filter':
        throw new Filtered(this.place);
      case 'tool-calls':
        throw new CalledTools(this.place);
      case null:
        return text;
    }
  }

  /** Aborts questions in progress and refuses later ones. */
  async close(): Promise<void> {
    this.#closing.abort(new ModelClosed(this.entry.name));
  }

  async #answer({ checkpoint }: Question, prepared: Prepared, signal: AbortSignal): Promise<Answered> {
    const { book, serve } = this.#settings;
    const found = await book?.find(prepared.asked.key);
    if (found !== undefined && found !== null) return found;
    if (checkpoint !== undefined && checkpoint !== null) await serve?.(prepared.asked.model.name, checkpoint, signal);
    const tokens = Math.ceil(prepared.body.length / bytesPerToken) + (outputLimit(prepared.asked.parameters) ?? 0);
    const passed = await this.#gate.enter(tokens, signal);
    let taken: number | undefined;
    try {
      const answered = await this.#observed(() => this.#askWithRetries(prepared, tokens, signal));
      taken = answered.usage === undefined ? undefined : (answered.usage.input ?? 0) + (answered.usage.output ?? 0);
      await book?.keep(answered);
      return answered;
    } finally {
      passed.leave(taken);
    }
  }

  /** Names and attributes are those of OpenTelemetry for generative models. */
  async #observed(ask: () => Promise<Answered>): Promise<Answered> {
    const { model } = this.entry;
    const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model };
    const observed = async (operation: Observed): Promise<Answered> => {
      const answered = await ask();
      const { input, output } = answered.usage ?? {};
      operation.add({
        ...(input === undefined ? {} : { 'gen_ai.usage.input_tokens': input }),
        ...(output === undefined ? {} : { 'gen_ai.usage.output_tokens': output }),
      });
      for (const [type, tokens] of Object.entries({ input, output }))
        if (tokens !== undefined)
          await measure('gen_ai.client.token.usage', '{token}', tokens, { ...attributes, 'gen_ai.token.type': type });
      return answered;
    };
    return await traced('gen_ai.client.operation', attributes, observed, `chat ${model}`);
  }

  async #askWithRetries(prepared: Prepared, tokens: number, signal: AbortSignal): Promise<Answered> {
    for (let made = 1; ; made++) {
      try {
        return await this.#attempt(prepared, tokens, made, signal);
      } catch (fault) {
        const wait = pauseAfter(fault, made, prepared.asked.key);
        if (fault instanceof ModelFault && fault.isHopeless) this.#gate.rejectWaiting(fault);
        if (wait === null) throw fault instanceof ModelFault ? fault.after(made) : fault;
        if (wait.isForAll) this.#gate.hold(wait.ms);
        await pause(this.#clock, wait.ms, signal);
      }
    }
  }

  async #attempt(prepared: Prepared, tokens: number, attempts: number, signal: AbortSignal): Promise<Answered> {
    const aside = await this.#setAside(prepared, signal);
    try {
      const begun = this.#clock.now();
      const { completion, firstByteMs } = await this.#exchange(prepared, tokens, signal);
      const measured = { latencyMs: Math.round(this.#clock.now() - begun), firstByteMs, attempts };
      const answered = this.#answered(prepared, completion, measured);
      aside?.settle(answered.cost?.total ?? null);
      return answered;
    } catch (fault) {
      aside?.settle(fault instanceof ModelFault && !fault.mayBePaid ? 0 : null);
      throw fault;
    }
  }

  async #setAside({ asked, body }: Prepared, signal: AbortSignal) {
    const { spending, entry } = this.#settings;
    if (spending === undefined || entry.prices === null) return undefined;
    spending.check(entry, asked.parameters);
    return await spending.setAside(mostCost(body.length, asked.parameters, entry.prices), this.place, signal);
  }

  async #exchange(prepared: Prepared, tokens: number, signal: AbortSignal) {
    const received = await exchange({
      place: this.place,
      secret: this.#settings.secret,
      ...questioning(this.entry, prepared, this.#settings.secret),
      limits: this.entry.limits,
      clock: this.#clock,
      signal,
    });
    const completion = read(this.place, received, this.#settings.secret, this.#clock.now());
    const wait = waitUntilReset(received.headers, tokens);
    if (wait !== null) this.#gate.hold(Math.min(wait, longestWaitMs));
    return { completion, firstByteMs: Math.round(received.firstByteMs) };
  }

  #answered({ asked, body }: Prepared, completion: Completion, measured: NonNullable<Answered['measured']>): Answered {
    const { reported, usage: counted = {}, ...said } = completion;
    const output = outputLimit(asked.parameters) ?? Number.POSITIVE_INFINITY;
    const usage = possible(counted, { bytes: body.length, output });
    const cost = costOf(usage, this.entry.prices);
    return {
      ...asked,
      ...said,
      ...(usage === undefined ? {} : { usage }),
      model: reported === undefined ? asked.model : { ...asked.model, reported },
      ...(cost === undefined ? {} : { cost }),
      measured,
    };
  }
}

/** Two minutes or more in total, if the endpoint requests no delay. */
const mostAttempts = 8;

const firstPauseMs = 1000;
const longestPauseMs = 60_000;

interface Pause {
  readonly ms: number;
  /** Whether the delay applies to all questions to the endpoint. */
  readonly isForAll: boolean;
}

/**
 * The delay before the next attempt; null if there should be none. Half of a delay is random, so that retries do not
 * coincide. The randomness comes from the question's key and affects nothing else.
 */
function pauseAfter(fault: unknown, made: number, key: string): Pause | null {
  if (!(fault instanceof ModelFault) || !fault.isPassing || made >= mostAttempts) return null;
  const chance = new Random(key, 'pause', made).fraction();
  const wait = fault instanceof RateLimited || fault instanceof ServerFailed ? fault.waitMs : null;
  const isForAll = wait !== null || fault instanceof RateLimited;
  if (wait !== null) return wait > longestWaitMs ? null : { ms: wait + firstPauseMs * chance, isForAll };
  const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** (made - 1));
  return { ms: pause * (0.5 + chance / 2), isForAll };
}

// The models of a project, opened by name under one spending cap; the models an endpoint serves; and a cheap test
// question.

import { type Completion, fieldsOf, textIn } from '../../lab/models/answers.ts';
import { systemClock } from '../../lab/models/clock.ts';
import type { Book, Cost, Question } from '../../lab/models/conversation.ts';
import {
  checkpointPlace,
  type Limits,
  type ModelEntry,
  modelEntryNamed,
  type Parameters,
} from '../../lab/models/entries.ts';
import { exchange } from '../../lab/models/exchange.ts';
import { BadRequest } from '../../lab/models/faults.ts';
import { Model } from '../../lab/models/model.ts';
import { jsonIn, read } from '../../lab/models/reading.ts';
import { headersOf, type Prepared, placeOf, prepare, questioning } from '../../lab/models/request.ts';
import { type Secret, secretOf } from '../../lab/models/secret.ts';
import { costOf, mostCost, type Spending } from '../../lab/models/spending.ts';

export interface ModelsSettings {
  /** The configured models by name. */
  readonly entries: ReadonlyMap<string, ModelEntry>;
  /** The environment variables with the keys. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Throws if the endpoint or this key may not be used. Called before the key is read. */
  readonly permit: (entry: ModelEntry) => void;
  /** Storage for answers, so that none is paid for twice; without it answers are not stored. */
  readonly book?: Book;
  readonly spending?: Spending;
}

export class Models {
  readonly #settings: ModelsSettings;
  readonly #opened = new Map<string, Model>();

  constructor(settings: ModelsSettings) {
    this.#settings = settings;
  }

  /**
   * Returns one shared instance per model, so that its limits apply to all callers together. Throws UnknownModel,
   * BadKey if the environment lacks its key, and CostUnknown if there is a cap that cannot be enforced for it.
   */
  open(name: string): Model {
    const opened = this.#opened.get(name);
    if (opened !== undefined) return opened;
    const { entries, environment, permit, book, spending } = this.#settings;
    const entry = modelEntryNamed(name, entries);
    permit(entry);
    const model = new Model({
      entry,
      secret: secretOf(entry, environment),
      ...(book === undefined ? {} : { book }),
      ...(spending === undefined ? {} : { spending }),
    });
    this.#opened.set(name, model);
    return model;
  }

  /** Aborts questions in progress. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#opened.values(), (model) => model.close()));
  }
}

/** Null if it has no such list. Throws a ModelFault, or the signal's reason. */
async function served(
  entry: ModelEntry,
  secret: Secret | null,
  limits: Limits,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const place = placeOf(entry);
  const url = new URL(`${entry.url}/models`);
  const headers = { accept: 'application/json', ...headersOf(secret) };
  const received = await exchange({ place, url, headers, body: null, limits, clock: systemClock, signal });
  if (received.status === 404 || received.status === 405) return null;
  const { data } = fieldsOf(jsonIn(place, received, secret, systemClock.now()));
  return Array.isArray(data) ? data.flatMap((one) => textIn(fieldsOf(one)['id']) ?? []) : null;
}

export type Examined =
  | {
      readonly kind: 'answered';
      /** The model's name at the endpoint. */
      readonly model: string;
      readonly ms: number;
      readonly usage: NonNullable<Completion['usage']> | null;
      readonly cost: Cost | null;
    }
  | {
      /**
       * Not asked, because there is no checkpoint yet; the endpoint is up and serves these models. Null if it has no
       * such list.
       */
      readonly kind: 'listed';
      readonly models: readonly string[] | null;
      readonly ms: number;
    };

/** The maximum wait for a status check. */
const patience: Limits = { connectMs: 5000, firstByteMs: 20_000, wholeMs: 20_000 };

const question = 'Say OK.';
const mostTokens = 16;

/**
 * Sends the key: the caller has checked that it may. Throws BadKey if the environment lacks the key, a ModelFault, or
 * the signal's reason.
 */
export async function examine(
  entry: ModelEntry,
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<Examined> {
  const secret = secretOf(entry, environment);
  const begun = performance.now();
  if (!isAskable(entry)) {
    const models = await served(entry, secret, limitsOf(entry), signal);
    return { kind: 'listed', models, ms: performance.now() - begun };
  }
  const prepared = preparedFor(entry);
  const completion = await askWithEitherLimit(entry, secret, prepared, signal);
  return {
    kind: 'answered',
    model: prepared.asked.model.name,
    ms: performance.now() - begun,
    usage: completion?.usage ?? null,
    cost: costOf(completion?.usage, entry.prices) ?? null,
  };
}

/** The maximum cost of examining it; null without prices. */
export function mostExaminingCosts(entry: ModelEntry): number | null {
  if (!isAskable(entry)) return 0;
  const { body, asked: ask } = preparedFor(entry);
  return entry.prices === null ? null : mostCost(body.length, ask.parameters, entry.prices);
}

export function isAskable({ model, base }: ModelEntry): boolean {
  return base !== null || !model.includes(checkpointPlace);
}

/** The limits of the entry, capped for a status check. */
export function limitsOf({ limits }: ModelEntry): Limits {
  return {
    connectMs: Math.min(limits.connectMs, patience.connectMs),
    firstByteMs: Math.min(limits.firstByteMs, patience.firstByteMs),
    wholeMs: Math.min(limits.wholeMs, patience.wholeMs),
  };
}

const limitNames = ['max_completion_tokens', 'max_tokens'] as const;

function preparedFor(entry: ModelEntry, limits: readonly string[] = limitsNamedIn(entry.parameters)): Prepared {
  const parameters = Object.fromEntries(limits.map((name) => [name, mostTokens]));
  const asking: Question = { messages: [{ role: 'user', content: question }], sample: 0, parameters };
  return prepare(entry, asking);
}

function limitsNamedIn(parameters: Parameters): readonly string[] {
  const named = limitNames.filter((name) => name in parameters);
  return named.length > 0 ? named : ['max_tokens'];
}

/**
 * Null if the endpoint says that the token limit is too low for an answer, which shows that it has read the question.
 * If the entry sets no limit and the endpoint does not know the usual parameter, the other one is used.
 */
async function askWithEitherLimit(
  entry: ModelEntry,
  secret: Secret | null,
  prepared: Prepared,
  signal: AbortSignal,
): Promise<Completion | null> {
  try {
    return await ask(entry, secret, prepared, signal);
  } catch (fault) {
    if (!(fault instanceof BadRequest)) throw fault;
    if (/output limit was reached/i.test(fault.message)) return null;
    const isNamed = limitNames.some((name) => name in entry.parameters);
    if (isNamed || !fault.message.includes('max_completion_tokens')) throw fault;
    return await ask(entry, secret, preparedFor(entry, ['max_completion_tokens']), signal);
  }
}

async function ask(
  entry: ModelEntry,
  secret: Secret | null,
  prepared: Prepared,
  signal: AbortSignal,
): Promise<Completion> {
  const place = placeOf(entry);
  const asking = questioning(entry, prepared, secret);
  const received = await exchange({ place, ...asking, limits: limitsOf(entry), clock: systemClock, signal });
  return read(place, received, secret, systemClock.now());
}

// The models of a project, opened by name under one spending cap; the models an endpoint serves; and a cheap test
// question.

import { IcecoreError } from '../../../schemas/errors.ts';
import type { Completion } from '../../lab/models/answers.ts';
import { raced, systemClock } from '../../lab/models/clock.ts';
import type { Book, Cost, Question } from '../../lab/models/conversation.ts';
import {
  checkpointPlace,
  type Limits,
  type ModelEntry,
  modelEntryNamed,
  type Parameters,
  type ServeSettings,
} from '../../lab/models/entries.ts';
import { exchange } from '../../lab/models/exchange.ts';
import { BadRequest } from '../../lab/models/faults.ts';
import { Model, type ModelSettings } from '../../lab/models/model.ts';
import { read } from '../../lab/models/reading.ts';
import { type Prepared, placeOf, prepare, questioning } from '../../lab/models/request.ts';
import { type Secret, secretOf } from '../../lab/models/secret.ts';
import { loadAdapter, servedModels } from '../../lab/models/serving.ts';
import { costOf, mostCost, type Spending } from '../../lab/models/spending.ts';
import type { Adapters } from './adapters.ts';

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
  /** The unpacked adapters that models with `serve` load; without them, servers must have all checkpoints. */
  readonly adapters?: Pick<Adapters, 'unpacked'>;
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
    const { entries, environment, permit, book, spending, adapters } = this.#settings;
    const entry = modelEntryNamed(name, entries);
    permit(entry);
    const secret = secretOf(entry, environment);
    const model = new Model({
      ...{ entry, secret },
      ...(entry.serve === null || adapters === undefined
        ? {}
        : { serve: serving(entry, entry.serve, secret, adapters) }),
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

/** Loads each checkpoint once. A checkpoint that is only a name is not among the blobs: the server must have it. */
function serving(
  entry: ModelEntry,
  settings: ServeSettings,
  secret: Secret | null,
  adapters: Pick<Adapters, 'unpacked'>,
): NonNullable<ModelSettings['serve']> {
  const loading = new Map<string, Promise<void>>();
  const load = async (name: string, digest: string, signal: AbortSignal): Promise<void> => {
    const path = await adapters.unpacked(digest);
    const seen = settings.root === null ? path : `${settings.root.replace(/\/+$/, '')}/${digest}`;
    await loadAdapter({ entry, secret, clock: systemClock, signal }, { name, path: seen }, settings);
  };
  return async (name, { reference, digest }, signal) => {
    if (digest === undefined || digest !== reference) return;
    for (;;) {
      const underWay = loading.get(name);
      if (underWay === undefined) break;
      try {
        return await raced(underWay, signal);
      } catch (fault) {
        // If the caller that began was aborted, this one begins again.
        if (fault instanceof IcecoreError) throw fault;
        signal.throwIfAborted();
      }
    }
    const begun = load(name, digest, signal);
    loading.set(name, begun);
    begun.catch(() => loading.delete(name));
    await begun;
  };
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
    const server = { entry: { ...entry, limits: limitsOf(entry) }, secret, clock: systemClock, signal };
    const models = await servedModels(server);
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
  const received = await exchange({ place, secret, ...asking, limits: limitsOf(entry), clock: systemClock, signal });
  return read(place, received, secret, systemClock.now());
}

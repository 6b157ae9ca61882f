// Whether a model can be asked at all: one question that costs next to nothing, asked once and recorded nowhere. A model
// that is called by its checkpoints cannot be asked before there is one: its endpoint is asked what it serves.

import type { Completion } from '../../lab/models/answers.ts';
import { systemClock } from '../../lab/models/clock.ts';
import type { Cost, Question } from '../../lab/models/conversation.ts';
import { checkpointPlace, type Limits, type ModelEntry, type Parameters } from '../../lab/models/entries.ts';
import { exchange } from '../../lab/models/exchange.ts';
import { BadRequest } from '../../lab/models/faults.ts';
import { read } from '../../lab/models/reading.ts';
import { type Prepared, placeOf, prepare, questioning } from '../../lab/models/request.ts';
import { type Secret, secretOf } from '../../lab/models/secret.ts';
import { costOf, mostCost } from '../../lab/models/spending.ts';
import { served } from './served.ts';

export type Examined =
  | {
      readonly kind: 'answered';
      /** Whom was asked, as the endpoint calls it. */
      readonly model: string;
      readonly ms: number;
      readonly usage: NonNullable<Completion['usage']> | null;
      readonly cost: Cost | null;
    }
  | {
      /** Not asked, for there is no checkpoint yet; the endpoint is there and serves these. Null: it has no such list. */
      readonly kind: 'listed';
      readonly models: readonly string[] | null;
      readonly ms: number;
    };

/** Nobody waits longer to see how things are. */
const patience: Limits = { connectMs: 5000, firstByteMs: 20_000, wholeMs: 20_000 };

const question = 'Say OK.';
const mostTokens = 16;

/** Sends the key: whoever calls has made sure that it may. Throws BadKey where the environment has no key for it, a ModelFault, or the signal's reason. */
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
  const completion = await askedPatiently(entry, secret, prepared, signal);
  return {
    kind: 'answered',
    model: prepared.asked.model.name,
    ms: performance.now() - begun,
    usage: completion?.usage ?? null,
    cost: costOf(completion?.usage, entry.prices) ?? null,
  };
}

/** What examining it can cost at most; null where it has no prices. */
export function mostExaminingCosts(entry: ModelEntry): number | null {
  if (!isAskable(entry)) return 0;
  const { body, asked } = preparedFor(entry);
  return entry.prices === null ? null : mostCost(body.length, asked.parameters, entry.prices);
}

export function isAskable({ model, base }: ModelEntry): boolean {
  return base !== null || !model.includes(checkpointPlace);
}

/** What is waited for is what the entry allows, and no more than anybody waits here. */
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
 * Null where the endpoint says that so few tokens are too few for an answer: then it has read the question. Where the
 * entry names no limit, one that the endpoint does not know by its usual name is given by the other.
 */
async function askedPatiently(
  entry: ModelEntry,
  secret: Secret | null,
  prepared: Prepared,
  signal: AbortSignal,
): Promise<Completion | null> {
  try {
    return await asked(entry, secret, prepared, signal);
  } catch (fault) {
    if (!(fault instanceof BadRequest)) throw fault;
    if (/output limit was reached/i.test(fault.message)) return null;
    const isNamed = limitNames.some((name) => name in entry.parameters);
    if (isNamed || !fault.message.includes('max_completion_tokens')) throw fault;
    return await asked(entry, secret, preparedFor(entry, ['max_completion_tokens']), signal);
  }
}

async function asked(
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

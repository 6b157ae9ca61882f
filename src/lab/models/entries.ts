// The models of a project, from what its configuration file says of them: every fault named with its place, and whatever
// was left out filled in.
import { z } from 'zod';
import { describeIssue, IcecoreError, type Issue } from '../../../schemas/errors.ts';
import { type ModelEntries, modelEntries } from '../../../schemas/models.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import type { JsonSchema } from '../../../schemas/phrase.ts';
import { translate } from '../../../schemas/translate.ts';
import { checkEntry } from './entry-check.ts';

export type Parameters = Readonly<Record<string, unknown>>;

/** The price of a million tokens of each kind. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly currency: string;
}

export interface Limits {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly wholeMs: number;
}

export interface ModelEntry {
  /** What the configuration file calls it. */
  readonly name: string;
  readonly url: string;
  readonly model: string;
  readonly base: string | null;
  /** The name of the environment variable, never the key. */
  readonly key: string | null;
  readonly prices: Prices | null;
  readonly parameters: Parameters;
  readonly greedy: Parameters;
  readonly seeds: boolean;
  readonly schemas: boolean;
  readonly stream: boolean;
  readonly concurrency: number;
  readonly limits: Limits;
  readonly tokensPerMinute: number | null;
}

/** Where the snapshot's name is put in the name of a model. */
export const checkpointPlace = '{checkpoint}';

export class BadModels extends IcecoreError {
  override readonly name = 'BadModels';
  readonly issues: readonly Issue[];

  constructor(issues: readonly [Issue, ...Issue[]]) {
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
    super('bad-input', `${describeIssue(issues[0])}${more}`, {
      facts: { issues },
      remedy: 'For example: {"models": {"qwen": {"url": "http://localhost:8000/v1", "model": "Qwen/Qwen3-4B"}}}',
    });
    this.issues = issues;
  }
}

/** From the value of `models` in the configuration file. Throws BadModels. */
export function modelEntriesOf(models: unknown): ReadonlyMap<string, ModelEntry> {
  const issues = issuesIn(models);
  if (issues.length > 0) throw new BadModels(issues as [Issue, ...Issue[]]);
  return new Map(Object.entries(models as ModelEntries).map(([name, entry]) => [name, completed(name, entry)]));
}

/** Throws UnknownModel, which names the near ones. */
export function modelEntryNamed(name: string, entries: ReadonlyMap<string, ModelEntry>): ModelEntry {
  const entry = entries.get(name);
  if (entry === undefined) throw new UnknownModel(name, [...entries.keys()]);
  return entry;
}

export class UnknownModel extends IcecoreError {
  override readonly name = 'UnknownModel';

  constructor(model: string, known: readonly string[]) {
    const near = nearestNames(model, known);
    super('not-found', `there is no model "${model}" in icecore.config.json`, {
      facts: { model, known, nearest: near },
      remedy: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : howToAdd(known),
    });
  }
}

function howToAdd(known: readonly string[]): string {
  const there = known.length === 0 ? 'It has none' : `It has ${known.join(', ')}`;
  return `${there}: add one under "models".`;
}

const whole = z.object({ models: modelEntries });

function issuesIn(models: unknown): Issue[] {
  // What is wrong with a key is told first and without the words of the shape, which quote what they found: where
  // somebody pasted the key itself, nobody is to see it.
  const own = isObject(models) ? Object.entries(models).flatMap(([name, entry]) => checkEntry(name, entry)) : [];
  const findings = whole.safeParse({ models }).error?.issues ?? [];
  return [...own, ...translate(findings, { models }, z.toJSONSchema(whole) as JsonSchema)];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function completed(name: string, entry: ModelEntries[string]): ModelEntry {
  const { url, model, base = null, key = null, prices, parameters = {}, greedy = { temperature: 0 } } = entry;
  const {
    seeds = false,
    schemas = false,
    stream = false,
    concurrency = 8,
    timeout = {},
    tokensPerMinute = null,
  } = entry;
  const { connect = 10, whole = 600, firstByte = whole } = timeout;
  return {
    name,
    url: url.replace(/\/+$/, ''),
    model,
    base,
    key,
    prices: prices === undefined ? null : pricesOf(prices),
    parameters,
    greedy,
    seeds,
    schemas,
    stream,
    concurrency,
    limits: { connectMs: 1000 * connect, firstByteMs: 1000 * firstByte, wholeMs: 1000 * whole },
    tokensPerMinute,
  };
}

function pricesOf({
  input,
  output,
  cached = input,
  currency = 'USD',
}: NonNullable<ModelEntries[string]['prices']>): Prices {
  return { input, output, cached, currency };
}

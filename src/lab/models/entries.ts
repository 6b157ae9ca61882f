// The models in the configuration file: checks them, reports every issue with its place, and fills in defaults.

import { z } from 'zod';
import { canonicalJson, NotCanonical } from '../../../schemas/canonical.ts';
import type { JsonSchema } from '../../../schemas/describe-schema.ts';
import { describeIssues, fieldOf, IcecoreError, type Issue, UnknownName } from '../../../schemas/errors.ts';
import { isObject } from '../../../schemas/json-text.ts';
import { type ModelEntries, modelEntries } from '../../../schemas/models.ts';
import { didYouMean, nearestNames } from '../../../schemas/nearest.ts';
import { translate } from '../../../schemas/translate.ts';

export type Parameters = Readonly<Record<string, unknown>>;

/** Prices per million tokens. */
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
  /** Its name in the configuration file. */
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
  /** How checkpoints are loaded into the server; null if they are there already. */
  readonly serve: ServeSettings | null;
}

export interface ServeSettings {
  /** Relative to the URL. */
  readonly path: string;
  /** Where the server finds the folder of adapters; null: at the same path. */
  readonly root: string | null;
  readonly timeoutMs: number;
}

/** The placeholder for the checkpoint's name in a model name. */
export const checkpointPlace = '{checkpoint}';

export class BadModels extends IcecoreError {
  override readonly name = 'BadModels';
  readonly issues: readonly Issue[];

  constructor(issues: readonly [Issue, ...Issue[]]) {
    super('bad-input', describeIssues(issues), {
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

/** Throws UnknownModel, which names similar models. */
export function modelEntryNamed(name: string, entries: ReadonlyMap<string, ModelEntry>): ModelEntry {
  const entry = entries.get(name);
  if (entry === undefined) throw new UnknownModel(name, [...entries.keys()]);
  return entry;
}

export class UnknownModel extends UnknownName {
  override readonly name = 'UnknownModel';

  constructor(model: string, known: readonly string[]) {
    const near = nearestNames(model, known);
    super(model, `there is no model "${model}" in the settings`, {
      facts: { model, known, nearest: near, ...(near.length > 0 ? {} : { excerpt: exampleOf(model) }) },
      remedy: didYouMean(near, `${configured(known)}${howToConfigure(model)}`),
    });
  }
}

function configured(known: readonly string[]): string {
  return known.length === 0 ? '' : `The settings have ${known.join(', ')}. `;
}

interface Endpoint {
  readonly url: string;
  readonly model: string;
  readonly key: string | null;
}

const gpt: Endpoint = { url: 'https://api.openai.com/v1', model: 'gpt-5.4', key: 'OPENAI_API_KEY' };

const gemini: Endpoint = {
  url: 'https://generativelanguage.googleapis.com/v1beta/openai',
  model: 'gemini-3.1-pro-preview',
  key: 'GEMINI_API_KEY',
};

const local: Endpoint = { url: 'http://localhost:8000/v1', model: 'Qwen/Qwen3-4B', key: null };

function endpointOf(name: string): Endpoint {
  if (/^gpt(?![a-z])/.test(name)) return named(gpt, name);
  return /^gemini(?![a-z])/.test(name) ? named(gemini, name) : local;
}

/** `gpt` alone says nothing about the model, `gpt-4o` does. */
function named(endpoint: Endpoint, name: string): Endpoint {
  return name.includes('-') ? { ...endpoint, model: name } : endpoint;
}

/** The models whose endpoints are known here. */
export const knownModels: readonly string[] = ['gpt', 'gemini'];

/** Whether the endpoint of the model is known here. */
export function isKnownModel(name: string): boolean {
  return endpointOf(name) !== local;
}

/** What to write into the settings, for the model to be asked under this name. */
export function exampleOf(name: string): string {
  const { key, ...endpoint } = endpointOf(name);
  return JSON.stringify({ models: { [name]: { ...endpoint, ...(key === null ? {} : { key }) } } });
}

export function howToConfigure(name: string): string {
  const { url, key } = endpointOf(name);
  const where = 'Add "models" of the line above to icecore.config.json, or save the line as that file if there is none';
  return key === null
    ? `${where}, with the URL of your server; docs/models.md lists all settings.`
    : `${where}, set ${key} in the environment, and type: icecore trust --host ${url.replace(/^https:\/\//, '')}`;
}

const whole = z.object({ models: modelEntries });

function issuesIn(models: unknown): Issue[] {
  // Issues of keys come first and without the schema's messages, which quote the value: it may be a pasted key and must
  // not be shown.
  const own = isObject(models) ? Object.entries(models).flatMap(([name, entry]) => checkEntry(name, entry)) : [];
  const findings = whole.safeParse({ models }).error?.issues ?? [];
  return [...own, ...translate(findings, { models }, z.toJSONSchema(whole) as JsonSchema)];
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
    serve,
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
    serve: serve === undefined ? null : served(serve),
  };
}

type Serve = ModelEntries[string]['serve'];

function served({ path = 'load_lora_adapter', root, timeout = 600 }: NonNullable<Serve>): ServeSettings {
  return { path, root: root ?? null, timeoutMs: 1000 * timeout };
}

function pricesOf({
  input,
  output,
  cached = input,
  currency = 'USD',
}: NonNullable<ModelEntries[string]['prices']>): Prices {
  return { input, output, cached, currency };
}

// Issues of a model's entry beyond its schema: a secret in the address, a key instead of a variable's name, a parameter
// that icecore sets.

type Fields = Readonly<Record<string, unknown>>;

function checkEntry(name: string, entry: unknown): Issue[] {
  if (typeof entry !== 'object' || entry === null) return [];
  const fields = entry as Fields;
  const at = (...path: string[]): string => fieldOf(['models', name, ...path]);
  return [
    ...checkUrl(at('url'), fields['url']),
    ...checkKey(at('key'), fields['key']),
    ...checkBase(at('base'), fields),
    ...checkServe(at('serve'), fields),
    ...['parameters', 'greedy'].flatMap((group) => [
      ...checkParameters((key) => at(group, key), fields[group]),
      ...checkRecordable(at(group), fields[group]),
    ]),
  ];
}

const addressForm = 'an address like https://api.openai.com/v1';

/** Addresses appear in messages and events, so they must not contain secrets. */
function checkUrl(field: string, url: unknown): Issue[] {
  if (typeof url !== 'string') return [];
  const parsed = URL.parse(url);
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) {
    return [{ field, found: 'something that is not an address', allowed: addressForm }];
  }
  if (parsed.username !== '' || parsed.password !== '') {
    return [{ field, found: 'an address with a password', allowed: `${addressForm}, and the password under "key"` }];
  }
  // Even if nothing follows them: the appended path would become part of a query or a fragment.
  if (/[?#]/.test(url)) {
    return [{ field, found: 'an address with a query or fragment', allowed: addressForm }];
  }
  if (!/\/chat\/completions\/*$/.test(parsed.pathname)) return [];
  return [{ field, found: 'an address with /chat/completions', allowed: 'the same without it: icecore appends it' }];
}

/** Keys are almost never in capitals only, while variable names are. */
function checkKey(field: string, key: unknown): Issue[] {
  if (typeof key !== 'string' || /^[A-Z][A-Z0-9_]*$/.test(key)) return [];
  const allowed = 'the name of an environment variable in capitals, like OPENAI_API_KEY';
  return [{ field, found: 'another text (not shown, because it may be a secret)', allowed }];
}

function checkBase(field: string, { base, model }: Fields): Issue[] {
  if (base === undefined || typeof model !== 'string' || model.includes('{checkpoint}')) return [];
  return [{ field, found: 'a base', allowed: 'none, because the model has no {checkpoint} in its name' }];
}

function checkServe(field: string, { serve, model }: Fields): Issue[] {
  if (serve === undefined || typeof model !== 'string' || model.includes('{checkpoint}')) return [];
  return [{ field, found: 'settings', allowed: 'none, because the model has no {checkpoint} in its name' }];
}

/** They become part of the record of every answer. */
function checkRecordable(field: string, parameters: unknown): Issue[] {
  try {
    canonicalJson(parameters ?? null);
    return [];
  } catch (fault) {
    if (!(fault instanceof NotCanonical)) throw fault;
    return [{ field, found: fault.found, allowed: 'a value that an event can hold' }];
  }
}

/** Parameters that icecore sets, or that would make the answer something other than a text. */
const notTheirs: ReadonlyMap<string, string> = new Map([
  ['model', 'not here: use "model" of the entry'],
  ['messages', 'not here: icecore sets them'],
  ['stream', 'not here: use "stream" of the entry'],
  ['stream_options', 'not here: "stream" of the entry sets them'],
  ['seed', 'not here: every answer has its own; "seeds" of the entry says whether it is sent'],
  ['n', 'not here: icecore requests one answer at a time'],
  ['tools', 'not supported: answers are texts'],
  ['tool_choice', 'not supported: answers are texts'],
  ['functions', 'not supported: answers are texts'],
  ['api_key', 'not here: "key" of the entry names its variable'],
]);

function checkParameters(at: (key: string) => string, parameters: unknown): Issue[] {
  if (typeof parameters !== 'object' || parameters === null) return [];
  return Object.keys(parameters).flatMap((key) => {
    const allowed = notTheirs.get(key);
    return allowed === undefined ? [] : [{ field: at(key), found: 'a setting', allowed }];
  });
}

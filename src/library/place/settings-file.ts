// What a settings file may contain, as JSON or code: known settings only, because a misspelt setting would silently do
// nothing.
import { z } from 'zod';
import { isTextPlace, type RunDefaults, runDefaults, type TextPlace } from '../../../schemas/config.ts';
import type { JsonSchema } from '../../../schemas/describe-schema.ts';
import { found as foundValue, furtherIssues, IcecoreError, type Issue } from '../../../schemas/errors.ts';
import { isObject, parseJson } from '../../../schemas/json-text.ts';
import type { ModelEntries } from '../../../schemas/models.ts';
import { nearest } from '../../../schemas/nearest.ts';
import { translate } from '../../../schemas/translate.ts';
import { BadModels, modelEntriesOf } from '../../lab/models/entries.ts';
import { findJsonFault } from '../../producers/intake/json-faults.ts';

/** All settings except plugins: those that JSON can express. */
export interface PlainSettings {
  /** A URL, also for a split ledger whose parts the file names separately. */
  readonly ledger?: string;
  readonly blobs?: string;
  readonly texts?: TextPlace;
  /** As written in the file, in order. */
  readonly models?: ModelEntries;
  readonly defaults?: RunDefaults;
}

/** The allowed values. */
const allowed = {
  ledger: 'the URL of a ledger, or {"decisions": URL, "evidence": URL}',
  blobs: 'the URL of a blob store',
  texts: '"inline" (texts are recorded in their events) or "blobs" (they can be erased later)',
} as const;
const plainNames: readonly string[] = [...Object.keys(allowed), 'models', 'defaults'];

const example = 'For example: {"ledger": "sqlite:.icecore/ledger.db"}';

export class BadConfig extends IcecoreError {
  override readonly name = 'BadConfig';

  /** `where` follows the path: `, line 3`, `, models.gpt.url`. */
  constructor(
    path: string,
    where: string,
    [issue, ...more]: readonly [Issue, ...Issue[]],
    remedy: string,
    cause?: unknown,
  ) {
    super('usage', `${path}${where}: found ${issue.found}, allowed: ${issue.allowed}${furtherIssues(more)}`, {
      facts: { path, ...issue, ...(more.length === 0 ? {} : { issues: [issue, ...more] }) },
      remedy,
      cause,
    });
  }
}

/** An invalid field. */
export function badField(path: string, issue: Issue, remedy: string, cause?: unknown): BadConfig {
  return new BadConfig(path, issue.field === '' ? '' : `, ${issue.field}`, [issue], remedy, cause);
}

/** Throws BadConfig. */
export function settingsInJson(path: string, bytes: Buffer): PlainSettings {
  return checkedSettings(path, valueIn(path, bytes));
}

/** The value of a JSON file. Throws BadConfig. */
export function valueIn(path: string, bytes: Buffer): unknown {
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  try {
    return parseJson(text);
  } catch {
    const { found, allowed, line, column } = findJsonFault(text);
    const issue = { field: '', found, allowed };
    throw new BadConfig(path, `, line ${line}, column ${column}`, [issue], 'Fix the JSON there.');
  }
}

/** `others`: settings next to these that are checked elsewhere. Throws BadConfig. */
export function checkedSettings(path: string, value: unknown, others: readonly string[] = []): PlainSettings {
  if (!isObject(value)) {
    const issue = { field: '', found: Array.isArray(value) ? 'a list' : String(value), allowed: 'an object' };
    throw badField(path, issue, example);
  }
  const known = [...plainNames, ...others];
  for (const key of Object.keys(value)) if (!known.includes(key)) throw unknownSetting(path, key, known);
  const ledger = ledgerIn(path, value['ledger']);
  const { blobs, texts, models, defaults } = value;
  if (blobs !== undefined && !isText(blobs)) throw badSetting(path, 'blobs', blobs);
  if (texts !== undefined && !isTextPlace(texts)) throw badSetting(path, 'texts', texts);
  checkModels(path, models);
  checkDefaults(path, defaults);
  return {
    ...(ledger === undefined ? {} : { ledger }),
    ...(blobs === undefined ? {} : { blobs }),
    ...(texts === undefined ? {} : { texts }),
    ...(models === undefined ? {} : { models: models as ModelEntries }),
    ...(defaults === undefined ? {} : { defaults: defaults as RunDefaults }),
  };
}

/** One URL, or the two URLs of a split ledger. */
function ledgerIn(path: string, value: unknown): string | undefined {
  if (value === undefined || isText(value)) return value;
  if (!isObject(value)) throw badSetting(path, 'ledger', value);
  const { decisions, evidence, ...others } = value;
  if (!isText(decisions) || !isText(evidence) || Object.keys(others).length > 0)
    throw badSetting(path, 'ledger', value);
  return `split:${decisions}+${evidence}`;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function badSetting(path: string, field: keyof typeof allowed, value: unknown): BadConfig {
  return badField(path, { field, found: written(value), allowed: allowed[field] }, example);
}

/** Code may export values that JSON cannot express. */
function written(value: unknown): string {
  return (typeof value === 'function' ? undefined : JSON.stringify(value)) ?? foundValue(value);
}

function checkModels(path: string, models: unknown): void {
  if (models === undefined) return;
  try {
    modelEntriesOf(models);
  } catch (fault) {
    if (!(fault instanceof BadModels)) throw fault;
    const issues = fault.issues as readonly [Issue, ...Issue[]];
    throw new BadConfig(path, `, ${issues[0].field}`, issues, fault.remedy);
  }
}

const whole = z.object({ defaults: runDefaults });

function checkDefaults(path: string, defaults: unknown): void {
  if (defaults === undefined) return;
  const findings = whole.safeParse({ defaults }).error?.issues ?? [];
  const [first, ...more] = translate(findings, { defaults }, z.toJSONSchema(whole) as JsonSchema);
  if (first === undefined) return;
  const remedy = 'For example: {"defaults": {"engineer": "rules", "stages": 3}}';
  throw new BadConfig(path, `, ${first.field}`, [first, ...more], remedy);
}

function unknownSetting(path: string, key: string, known: readonly string[]): BadConfig {
  const near = nearest(key, known);
  const issue = { field: key, found: `the setting "${key}"`, allowed: known.join(', ') };
  return new BadConfig(path, '', [issue], near === null ? 'Remove it.' : `Did you mean "${near}"?`);
}

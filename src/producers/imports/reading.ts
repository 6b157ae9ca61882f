// Reads records to import, from lines of JSON or from a plugin's importer, and checks them.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { canonicalJson, NotCanonical } from '../../../schemas/canonical.ts';
import { found, IcecoreError, type Issue, type Remedies } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import { BadPiece } from '../intake/faults.ts';
import {
  deepest,
  findJsonFault,
  glanceAt,
  mayRepeatKeys,
  refuseRepeatedKeys,
  refuseWideIntegers,
} from '../intake/json-faults.ts';
import { type Piece, splitLines } from '../intake/pieces.ts';
import { type ImportRecord, marked, RecordIssues, type RecordReader } from './records.ts';
import { RunSurvey } from './survey.ts';

/** A file that can be read repeatedly. */
export interface RecordsFile {
  /** As the user named it. */
  readonly name: string;
  open(): AsyncIterable<Uint8Array>;
}

/** Records that can be read repeatedly, always the same in the same order. */
export interface RecordSource {
  /** The file as the user named it. */
  readonly name: string;
  /** The name of the reader for events. */
  readonly tool: string;
  /** What error messages count from 1. */
  readonly each: 'line' | 'record';
  /** The whole input goes into the hash. */
  read(hash: Hash, signal: AbortSignal): AsyncIterable<readonly Numbered[]>;
}

type Hash = ReturnType<typeof createHash>;

interface Numbered {
  readonly number: number;
  readonly bytes: number;
  /** Throws RecordIssues and BadPiece. */
  value(): unknown;
}

export interface ImportStep {
  readonly doing: 'checking' | 'importing';
  readonly done: number;
  readonly of: number | null;
}

export interface Reading {
  readonly source: RecordSource;
  readonly reader: RecordReader;
  /** The name of its single run, overriding the records. */
  readonly run?: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (step: ImportStep) => Promise<void>;
}

/** A file that was read completely and has no issues. */
export interface Surveyed {
  readonly records: number;
  readonly runs: readonly RunSurvey[];
  /** Of the bytes of the file. */
  readonly digest: string;
}

/** Longer lines are refused without parsing. */
const longestLine = 16 * 1024 * 1024;

/** The maximum size of a record in its event, excluding texts that are stored separately. */
const longestBesideTexts = 900_000;

/** Throws BadRecord at the first line that is not a record or contradicts an earlier one. */
export async function surveyRecords(of: Reading): Promise<Surveyed> {
  const runs = new Map<string, RunSurvey>();
  const hash = createHash('sha256');
  let records = 0;
  for await (const { record, line } of recordsIn(of, hash)) {
    const survey = getOrCreate(runs, record.data.run, () => new RunSurvey(record.data.run));
    const issues = issuesOf(survey, record, line);
    if (issues.length > 0) throw new BadRecord(of.source, line, issues);
    records++;
    if (records % reportEvery === 0) await of.onProgress({ doing: 'checking', done: records, of: null });
  }
  if (records === 0) throw new NoRecords(of.source);
  for (const survey of runs.values()) {
    const fault = survey.fault();
    if (fault !== null) throw new BadRecord(of.source, fault.line, [fault.issue]);
  }
  const [unused] = of.reader.unused;
  if (unused !== undefined) throw new NothingThere(of.source.name, unused);
  return { records, runs: [...runs.values()], digest: hash.digest('hex') };
}

/** Issues of a record: contradictions to other records of its run, and invalid texts. */
function issuesOf(survey: RunSurvey, record: ImportRecord, line: number): Issue[] {
  try {
    return survey.add(record, line);
  } catch (fault) {
    if (!(fault instanceof NotCanonical)) throw fault;
    return [{ field: fault.field, found: fault.found, allowed: 'a JSON value' }];
  }
}

export const reportEvery = 1000;

interface Located {
  readonly record: ImportRecord;
  readonly line: number;
}

/** Throws BadRecord. */
export async function* recordsIn(of: Reading, hash: Hash): AsyncGenerator<Located> {
  const { source, reader, run, signal } = of;
  let named: string | null = null;
  for await (const some of source.read(hash, signal)) {
    for (const one of some) {
      const { number: line, bytes } = one;
      try {
        const value = one.value();
        const own = run === undefined ? null : reader.runIn(value);
        if (named !== null && own !== null && own !== named) {
          const allowed = `"${named}" like the records before it: one name was given for the run of all records`;
          throw new RecordIssues([{ field: 'run', found: found(own), allowed }]);
        }
        named ??= own;
        const record = reader.read(value, run);
        requireRoom(bytes, record);
        yield { record, line };
      } catch (fault) {
        throw withLine(fault, source, line);
      }
    }
  }
}

/** One JSON object per line. */
export function linesOf(file: RecordsFile): RecordSource {
  return {
    ...{ name: file.name, tool: 'ndjson', each: 'line' },
    read: async function* (hash, signal) {
      for await (const pieces of splitLines(hashing(file.open(), hash), longestLine)) {
        signal.throwIfAborted();
        yield pieces.map((piece) => ({ number: piece.line, bytes: piece.size, value: () => jsonOf(piece) }));
      }
    },
  };
}

/** The records of a plugin's importer, which starts again with each call. */
export function recordsOf(
  names: Pick<RecordSource, 'name' | 'tool'>,
  records: () => AsyncIterable<unknown>,
): RecordSource {
  return {
    ...names,
    each: 'record',
    read: async function* (hash, signal) {
      let number = 0;
      for await (const given of records()) {
        signal.throwIfAborted();
        number += 1;
        const text = textOf(given);
        hash.update(`${text}\n`);
        yield [{ number, bytes: Buffer.byteLength(text ?? ''), value: () => asJson(given, text) }];
      }
    },
  };
}

/** Null if it is not JSON. */
function textOf(given: unknown): string | null {
  try {
    return canonicalJson(given);
  } catch {
    return null;
  }
}

function asJson(given: unknown, text: string | null): unknown {
  if (text !== null) return parseJson(text);
  try {
    return canonicalJson(given);
  } catch (fault) {
    if (!(fault instanceof NotCanonical)) throw fault;
    throw new RecordIssues([{ field: fault.field, found: fault.found, allowed: 'a JSON value' }]);
  }
}

async function* hashing(bytes: AsyncIterable<Uint8Array>, hash: ReturnType<typeof createHash>) {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}

function withLine(fault: unknown, source: RecordSource, line: number): unknown {
  if (fault instanceof RecordIssues) return new BadRecord(source, line, fault.issues);
  if (!(fault instanceof BadPiece)) return fault;
  const { field, found: what, allowed } = fault.facts as unknown as Issue;
  return new BadRecord(source, line, [{ field, found: what, allowed }]);
}

function jsonOf({ bytes, size, isTooLong, line }: Piece): unknown {
  const refuse = (field: string, what: string, allowed: string): RecordIssues =>
    new RecordIssues([{ field, found: what, allowed }]);
  if (isTooLong) throw refuse('', `${size} bytes`, `at most ${longestLine} bytes per line`);
  if (!isUtf8(bytes)) throw refuse('', 'bytes that are not text', 'text in UTF-8');
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    const { column, found: what, allowed } = findJsonFault(text);
    throw refuse(`column ${column}`, `${what} (invalid JSON)`, allowed);
  }
  const { keys, hasWideNumber, isTooDeep } = glanceAt(value);
  if (isTooDeep) throw refuse('', `nesting deeper than ${deepest} levels`, 'what canonical JSON can hold');
  if (mayRepeatKeys(text, keys)) refuseRepeatedKeys(text, line);
  if (hasWideNumber) refuseWideIntegers(text);
  if (mayHide.test(text) && JSON.stringify(value).includes('"__proto__":'))
    throw refuse('', 'the key "__proto__"', 'any other name');
  return value;
}

/** Its letters may be escaped. */
const mayHide = /__proto__|\\u00/;

/** Prompts and completions of any length are kept as blobs; everything else must fit into an event. */
function requireRoom(size: number, { kind, data }: ImportRecord): void {
  if (size < longestBesideTexts) return;
  const { prompt: _, completion: __, ...rest } = kind === 'rollout' ? data : { ...data, prompt: '', completion: '' };
  const bytes = Buffer.byteLength(JSON.stringify(rest));
  if (bytes < longestBesideTexts) return;
  const allowed = `at most ${longestBesideTexts} bytes, not counting prompt and completion`;
  throw new RecordIssues([{ field: '', found: `${bytes} bytes`, allowed }]);
}

export const nothingWritten = 'Nothing was imported.';

function nextStep(field: string, allowed: string): Remedies {
  if (field === 'run')
    return remedies('Or give the run of all records a name.', '--name gives the run of all records a name.');
  if (allowed !== marked) return { remedy: nothingWritten };
  const renamed = 'If your records have these under other names,';
  return remedies(`${renamed} a map says where (docs/import.md).`, `${renamed} --map says where (docs/import.md).`);
}

function remedies(remedy: string, commandRemedy: string): Remedies {
  return { remedy: `${nothingWritten} ${remedy}`, commandRemedy: `${nothingWritten} ${commandRemedy}` };
}

class BadRecord extends IcecoreError {
  override readonly name = 'BadRecord';

  constructor({ name: file, each }: RecordSource, line: number, issues: RecordIssues['issues']) {
    const { field, found: what, allowed, from = null } = issues[0] ?? { field: '', found: '', allowed: '' };
    const place = field === '' ? 'the record' : from === null ? field : `${field} (${from})`;
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more in it)` : '';
    super('bad-input', `${file}, ${each} ${line}: ${place}: found ${what}, allowed: ${allowed}${more}`, {
      facts: { path: file, [each]: line, field, found: what, allowed, ...(issues.length > 1 ? { issues } : {}) },
      ...nextStep(field, allowed),
    });
  }
}

class NoRecords extends IcecoreError {
  override readonly name = 'NoRecords';

  constructor({ name: file, each }: RecordSource) {
    const allowed = each === 'line' ? 'one JSON object per line' : 'one or more';
    super('bad-input', `${file}: found no records, allowed: ${allowed}`, {
      facts: { path: file },
      remedy: nothingWritten,
    });
  }
}

/** A path of the map without any value is more likely misspelt than intended. */
class NothingThere extends IcecoreError {
  override readonly name = 'NothingThere';

  constructor(file: string, { member, path }: { readonly member: string; readonly path: string }) {
    super('bad-input', `the map says that ${member} is at ${path}, but no record of ${file} has a value there`, {
      facts: { path: file, field: member, found: path },
      remedy: `${nothingWritten} Correct the path, or remove ${member} from the map.`,
    });
  }
}

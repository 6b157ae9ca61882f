// Imports runs from a file of records, one JSON object a line. The file is read twice, a line at a time: first to check it and to
// survey its runs, then to append their rollouts in batches. What was decided and measured is appended behind these.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { NotCanonical } from '../../../schemas/canonical.ts';
import type { EventData, NewEventOf } from '../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { IcecoreError, type Issue } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { found } from '../../../schemas/phrase.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { entry } from '../../base/entry.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { withoutLongTexts } from '../answers/answers.ts';
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
import { KeptTexts, longestInline, type Outgoing } from '../intake/texts.ts';
import { EvaluationSums } from '../recompute/evaluations.ts';
import { sealStage } from '../trust/sealing.ts';
import { type ImportRecord, RecordIssues, type RecordReader, type RolloutRecord } from './records.ts';
import { type InForce, importActor, isMeasured, partOf, RunEvents, type Split } from './run-events.ts';
import { RunSurvey, type StageSurvey } from './survey.ts';

/** A file that can be read again from its beginning. */
export interface RecordsFile {
  /** As it was named. */
  readonly name: string;
  open(): AsyncIterable<Uint8Array>;
}

export interface ImportStep {
  readonly doing: 'checking' | 'importing';
  readonly done: number;
  readonly of: number | null;
}

export interface Reading {
  readonly file: RecordsFile;
  readonly reader: RecordReader;
  /** The name of its one run, whatever the records say. */
  readonly run?: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (step: ImportStep) => Promise<void>;
}

/** A file that was read to its end, and in which nothing is wrong. */
export interface Surveyed {
  readonly records: number;
  readonly runs: readonly RunSurvey[];
  /** Of the bytes of the file. */
  readonly digest: string;
}

/** Longer lines are refused unread. */
const longestLine = 16 * 1024 * 1024;

/** So much of a record has room in its event, beside the texts that are kept apart from it. */
const longestBesideTexts = 900_000;

/** Throws BadRecord at the first line that is no record, or that contradicts an earlier one. */
export async function surveyRecords(of: Reading): Promise<Surveyed> {
  const runs = new Map<string, RunSurvey>();
  const hash = createHash('sha256');
  let records = 0;
  for await (const { record, line } of recordsIn(of, hash)) {
    const survey = entry(runs, record.data.run, () => new RunSurvey(record.data.run));
    const issues = added(survey, record, line);
    if (issues.length > 0) throw new BadRecord(of.file.name, line, issues);
    records++;
    if (records % reportEvery === 0) await of.onProgress({ doing: 'checking', done: records, of: null });
  }
  if (records === 0) throw new NoRecords(of.file.name);
  for (const { gap } of runs.values()) if (gap !== null) throw new BadRecord(of.file.name, gap.line, [gap.issue]);
  const [unused] = of.reader.unused;
  if (unused !== undefined) throw new NothingThere(of.file.name, unused);
  return { records, runs: [...runs.values()], digest: hash.digest('hex') };
}

/** What is wrong with a record beside the others of its run, or with its texts. */
function added(survey: RunSurvey, record: ImportRecord, line: number): Issue[] {
  try {
    return survey.add(record, line);
  } catch (fault) {
    if (!(fault instanceof NotCanonical)) throw fault;
    return [{ field: fault.field, found: fault.found, allowed: 'what JSON can hold' }];
  }
}

const reportEvery = 1000;

interface Located {
  readonly record: ImportRecord;
  readonly line: number;
}

async function* recordsIn(of: Reading, hash: ReturnType<typeof createHash>): AsyncGenerator<Located> {
  const { file, reader, run, signal } = of;
  let named: string | null = null;
  for await (const pieces of splitLines(hashed(file.open(), hash), longestLine)) {
    signal.throwIfAborted();
    for (const piece of pieces) {
      const { line } = piece;
      try {
        const value = jsonOf(piece);
        const own = run === undefined ? null : reader.runIn(value);
        if (named !== null && own !== null && own !== named) {
          const allowed = `"${named}" alone, as the records before it: one name is given for the run of all records`;
          throw new RecordIssues([{ field: 'run', found: found(own), allowed }]);
        }
        named ??= own;
        const record = reader.read(value, run);
        requireRoom(piece, record);
        yield { record, line };
      } catch (fault) {
        throw located(fault, file.name, line);
      }
    }
  }
}

async function* hashed(bytes: AsyncIterable<Uint8Array>, hash: ReturnType<typeof createHash>) {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}

function located(fault: unknown, file: string, line: number): unknown {
  if (fault instanceof RecordIssues) return new BadRecord(file, line, fault.issues);
  if (!(fault instanceof BadPiece)) return fault;
  const { field, found: what, allowed } = fault.facts as unknown as Issue;
  return new BadRecord(file, line, [{ field, found: what, allowed }]);
}

function jsonOf({ bytes, size, isTooLong, line }: Piece): unknown {
  const refuse = (field: string, what: string, allowed: string): RecordIssues =>
    new RecordIssues([{ field, found: what, allowed }]);
  if (isTooLong) throw refuse('', `${size} bytes`, `at most ${longestLine} bytes a line`);
  if (!isUtf8(bytes)) throw refuse('', 'bytes that are no text', 'text in UTF-8');
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    const { column, found: what, allowed } = findJsonFault(text);
    throw refuse(`column ${column}`, `${what}, which makes it no JSON`, allowed);
  }
  const { keys, hasWideNumber, isTooDeep } = glanceAt(value);
  if (isTooDeep) throw refuse('', `nesting deeper than ${deepest} levels`, 'what JSON can hold');
  if (mayRepeatKeys(text, keys)) refuseRepeatedKeys(text, line);
  if (hasWideNumber) refuseWideIntegers(text);
  if (mayHide.test(text) && JSON.stringify(value).includes('"__proto__":'))
    throw refuse('', 'the key "__proto__"', 'any other name');
  return value;
}

/** Its letters may be escaped. */
const mayHide = /__proto__|\\u00/;

/** Prompts and completions of any length are kept as blobs; all else has to fit into an event. */
function requireRoom({ size }: Piece, { kind, data }: ImportRecord): void {
  if (size < longestBesideTexts) return;
  const { prompt: _, completion: __, ...rest } = kind === 'rollout' ? data : { ...data, prompt: '', completion: '' };
  const bytes = Buffer.byteLength(JSON.stringify(rest));
  if (bytes < longestBesideTexts) return;
  const allowed = `at most ${longestBesideTexts} bytes, prompt and completion apart`;
  throw new RecordIssues([{ field: '', found: `${bytes} bytes`, allowed }]);
}

export interface Target {
  readonly ledger: Ledger;
  /** Where long texts go. */
  readonly blobs: () => Promise<Blobs>;
  /** What the environment of the runs is called; where it is left out, as it was before, or as the file. */
  readonly environment?: string | undefined;
  readonly now: () => string;
}

export interface RunImported {
  readonly survey: RunSurvey;
  /** Events that were not there. */
  readonly added: number;
}

type Started = EventData['RunStarted'];

/** What the ledger has of a run already. */
interface Before {
  readonly started: Started;
  readonly at: string;
  readonly isComplete: boolean;
}

/** Appends the runs of a file that was surveyed; what is there already is not written again. Throws OtherRecords, NameTaken, FileChanged. */
export async function importRecords(of: Reading, surveyed: Surveyed, target: Target): Promise<readonly RunImported[]> {
  const before = await runsThere(surveyed, { ...target, file: of.file.name });
  const importing = surveyed.runs.map((survey) => new Importing(survey, before.get(survey.run) ?? null, of, target));
  const due = new Map(importing.filter(({ isDue }) => isDue).map((one) => [one.survey.name, one]));
  if (due.size > 0) {
    for (const one of due.values()) await one.begin();
    await appendRollouts(of, surveyed, due);
    for (const one of due.values()) await one.conclude();
  }
  return importing;
}

async function appendRollouts(
  of: Reading,
  { records, digest }: Surveyed,
  due: ReadonlyMap<string, Importing>,
): Promise<void> {
  const hash = createHash('sha256');
  let done = 0;
  let waiting = 0;
  for await (const { record, line } of recordsIn(of, hash)) {
    if (++done % reportEvery === 0) await of.onProgress({ doing: 'importing', done, of: records });
    if (record.kind !== 'rollout') continue;
    due.get(record.data.run)?.add(record.data, line);
    if (++waiting >= mostWaiting) {
      for (const one of due.values()) await one.flush();
      waiting = 0;
    }
  }
  for (const one of due.values()) await one.flush();
  if (hash.digest('hex') !== digest) throw new FileChanged(of.file.name);
}

/** Of all streams together: a file may have its stages in any order. */
const mostWaiting = 500;

export interface Place extends Pick<Target, 'ledger' | 'environment'> {
  readonly file: string;
}

/** What the ledger has of these runs, by their identities. Throws OtherRecords, OtherEnvironment, NameTaken. */
export async function runsThere(
  { runs }: Surveyed,
  { ledger, environment, file }: Place,
): Promise<ReadonlyMap<string, Before>> {
  const byRun = new Map(runs.map((one) => [one.run, one]));
  const names = new Set(runs.map(({ name }) => name));
  const there = new Map<string, Before>();
  for await (const events of ledger.readAll({ types: ['RunStarted', 'RunCompleted'] })) {
    for (const { envelope, reading } of events) {
      const run = envelope.run ?? '';
      const own = byRun.get(run);
      const before = there.get(run);
      if (!reading.known) continue;
      if (reading.type === 'RunCompleted' && before !== undefined) there.set(run, { ...before, isComplete: true });
      if (reading.type !== 'RunStarted') continue;
      if (own === undefined && names.has(reading.data.name)) throw new NameTaken(reading.data.name, run);
      if (own === undefined) continue;
      const { source, environment: known } = reading.data;
      if (source?.id !== own.digest) throw new OtherRecords(own, source?.location ?? null, file);
      if ((environment ?? known.name) !== known.name) throw new OtherEnvironment(own, known.name, environment ?? '');
      there.set(run, { started: reading.data, at: envelope.at, isComplete: false });
    }
  }
  return there;
}

/** One run on its way into the ledger. */
class Importing implements RunImported {
  readonly survey: RunSurvey;
  /** False where all of it is there. */
  readonly isDue: boolean;
  added = 0;
  readonly #events: RunEvents;
  readonly #ledger: Ledger;
  readonly #texts: KeptTexts;
  readonly #parts = new Map<string, Part>();

  constructor(
    survey: RunSurvey,
    before: Before | null,
    { file }: Reading,
    { ledger, blobs, environment, now }: Target,
  ) {
    this.survey = survey;
    this.isDue = before === null || !before.isComplete;
    this.#ledger = ledger;
    this.#texts = new KeptTexts(blobs);
    this.#events = new RunEvents(survey, {
      environment: before?.started.environment.name ?? environment ?? environmentOf(file.name),
      file: before?.started.source?.location ?? file.name,
      at: before?.at ?? now(),
    });
  }

  async begin(): Promise<void> {
    await this.#append(streamOf.run(this.survey.run), [outgoing(this.#events.started())]);
  }

  add(record: RolloutRecord, line: number): void {
    const { stage, split } = record;
    const stream = streamOf.evidence(this.survey.run, stage, partOf(split), 0);
    const sums = (): EvaluationSums | null => (isMeasured(split) ? new EvaluationSums(this.#events.descriptor) : null);
    const part = entry(this.#parts, stream, () => ({ stream, stage, split, sums: sums(), rollouts: 0, waiting: [] }));
    const event = this.#events.rollout(record, part.rollouts++, line);
    part.sums?.add(event.data);
    part.waiting.push(outgoing(event));
  }

  async flush(): Promise<void> {
    for (const part of this.#parts.values()) {
      if (part.waiting.length > 0) await this.#append(part.stream, part.waiting);
      part.waiting = [];
    }
  }

  async conclude(): Promise<void> {
    let force: InForce | null = null;
    let completed: NewEvent | undefined;
    const stream = streamOf.run(this.survey.run);
    for (const stage of this.survey.stages) {
      const opening = this.#events.opening(stage, force);
      force = opening.force;
      await this.#append(stream, opening.events.map(outgoing));
      const closing = this.#events.closing(stage, await this.#counted(stage));
      await this.#append(stream, closing.map(outgoing));
      completed = closing.at(-1);
    }
    const last = completed as NewEventOf<'StageCompleted'>;
    await this.#append(stream, [outgoing(this.#events.completed(last))]);
  }

  /** Seals the rollouts of the stage, and says what those came to that are of a suite. */
  async #counted({ stage, rollouts }: StageSurvey) {
    if (rollouts === 0) return [];
    const { run } = this.survey;
    const sealed = await sealStage(this.#ledger, { run, stage, actor: importActor, chosen: new Map() });
    if (sealed.isNew) this.added++;
    return [...this.#parts.values()].flatMap(({ stream, stage: of, split, sums }) => {
      if (of !== stage || sums === null) return [];
      const attempts = sealed.attempts.filter((one) => one.stream === stream);
      const causes = attempts.map(({ count, root }) => ({ stream, from: 0, to: count - 1, root }));
      return [{ split, causes, data: byFamily(sums.result()) }];
    });
  }

  async #append(stream: string, events: readonly Outgoing[]): Promise<void> {
    await this.#texts.keep(this.#ledger, stream, events);
    const all = events.map(({ event }) => event);
    const { existed } = await this.#ledger.append(stream, all, { expect: 'any' });
    for (const one of existed) if (!one) this.added++;
  }
}

/** Rollouts without a family count over all families alone. */
function byFamily<Sums extends Pick<EventData['EvaluationRecorded'], 'results' | 'failures'>>(sums: Sums): Sums {
  const { results, failures = [] } = sums;
  return {
    ...sums,
    results: results.filter(({ family }) => family !== ''),
    failures: failures.map((one) => ({ ...one, family: one.family === '' ? null : one.family })),
  };
}

/** Rollouts of one stream. */
interface Part {
  readonly stream: string;
  readonly stage: number;
  readonly split: Split;
  /** Null where no evaluation rests on them. */
  readonly sums: EvaluationSums | null;
  rollouts: number;
  waiting: Outgoing[];
}

function outgoing(event: NewEvent): Outgoing {
  return withoutLongTexts(event, longestInline.byDefault);
}

/** The name of the file without its folders and its ending. */
function environmentOf(file: string): string {
  const [base = ''] = file.split(/[\\/]/).slice(-1);
  return base.replace(/(?<=.)\.[^.]*$/, '') || 'imported';
}

const nothingWritten = 'Nothing was imported.';

export class BadRecord extends IcecoreError {
  override readonly name = 'BadRecord';

  constructor(file: string, line: number, issues: RecordIssues['issues']) {
    const { field, found: what, allowed, from = null } = issues[0] ?? { field: '', found: '', allowed: '' };
    const place = field === '' ? 'the record' : from === null ? field : `${field} (${from})`;
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more in it)` : '';
    super('bad-input', `${file}, line ${line}: ${place}: found ${what}, allowed: ${allowed}${more}`, {
      facts: { path: file, line, field, found: what, allowed, ...(issues.length > 1 ? { issues } : {}) },
      remedy: field === 'run' ? `${nothingWritten} --name gives the run of all records a name.` : nothingWritten,
    });
  }
}

class NoRecords extends IcecoreError {
  override readonly name = 'NoRecords';

  constructor(file: string) {
    super('bad-input', `${file}: found no records, allowed: one JSON object a line`, {
      facts: { path: file },
      remedy: nothingWritten,
    });
  }
}

/** A path of the map that leads nowhere is misspelt more often than meant. */
class NothingThere extends IcecoreError {
  override readonly name = 'NothingThere';

  constructor(file: string, { member, path }: { readonly member: string; readonly path: string }) {
    super('bad-input', `the map says that ${member} is at ${path}, and no record of ${file} has anything there`, {
      facts: { path: file, field: member, found: path },
      remedy: `${nothingWritten} Correct the path, or leave ${member} out of the map.`,
    });
  }
}

class NameTaken extends IcecoreError {
  override readonly name = 'NameTaken';

  constructor(name: string, run: string) {
    super('conflict', `there is a run called ${name} that was not imported from records`, {
      facts: { name, run },
      remedy: `${nothingWritten} --name gives the imported run another name.`,
    });
  }
}

class OtherRecords extends IcecoreError {
  override readonly name = 'OtherRecords';

  constructor({ name, run }: RunSurvey, from: string | null, file: string) {
    const before = from === null ? 'other records' : `other records, of ${from}`;
    super('conflict', `run ${name} was imported from ${before}; ${file} says something else about it`, {
      facts: { name, run, path: file, from },
      remedy: `${nothingWritten} A run that is recorded does not change: --name gives this one another name.`,
    });
  }
}

class OtherEnvironment extends IcecoreError {
  override readonly name = 'OtherEnvironment';

  constructor({ name, run }: RunSurvey, before: string, now: string) {
    super('conflict', `run ${name} was imported with the environment ${before}, not ${now}`, {
      facts: { name, run, found: now, allowed: before },
      remedy: `${nothingWritten} Leave --environment out, or give this run another name with --name.`,
    });
  }
}

class FileChanged extends IcecoreError {
  override readonly name = 'FileChanged';

  constructor(file: string) {
    super('conflict', `${file} changed while it was read`, {
      facts: { path: file },
      remedy: 'The import has not come to its end. Import it under another name once nobody writes to it.',
    });
  }
}

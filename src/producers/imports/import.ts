// Imports runs from a file of records. The file is read twice, line by line: first to check it and survey its runs,
// then to append their rollouts in batches. Decisions and measurements are appended after them.
import { createHash } from 'node:crypto';
import type { EventData, NewEventOf } from '../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { importActor } from '../history/decisions.ts';
import { IntakeReports } from '../intake/target.ts';
import { KeptTexts, longestInline, type Outgoing, withoutLongTexts } from '../intake/texts.ts';
import { EvaluationSums } from '../recompute/evaluations.ts';
import { sealStage } from '../trust/sealing.ts';
import { nothingWritten, type Reading, recordsIn, reportEvery, type Surveyed } from './reading.ts';
import type { RolloutRecord } from './records.ts';
import { type InForce, isMeasured, partOf, RunEvents, type Split } from './run-events.ts';
import type { RunSurvey, StageSurvey } from './survey.ts';

export interface Target {
  readonly ledger: Ledger;
  /** Storage of long texts. */
  readonly blobs: () => Promise<Blobs>;
  /** The name of the runs' environment; the default is the previous one or the file's name. */
  readonly environment?: string | undefined;
  readonly now: () => string;
}

export interface RunImported {
  readonly survey: RunSurvey;
  /** The number of new events. */
  readonly added: number;
}

type Started = EventData['RunStarted'];

/** What the ledger already has of a run. */
interface Before {
  readonly started: Started;
  readonly at: string;
  readonly isComplete: boolean;
}

/**
 * Appends the runs of a surveyed file; existing events are not written again. Throws OtherRecords, NameTaken,
 * FileChanged.
 */
export async function importRecords(of: Reading, surveyed: Surveyed, target: Target): Promise<readonly RunImported[]> {
  const before = await runsThere(surveyed, { ...target, file: of.source.name });
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
  if (hash.digest('hex') !== digest) throw new FileChanged(of.source.name);
}

/** For all streams together: a file may have its stages in any order. */
const mostWaiting = 500;

export interface Place extends Pick<Target, 'ledger' | 'environment'> {
  readonly file: string;
}

/** The existing parts of these runs by identity. Throws OtherRecords, OtherEnvironment, NameTaken. */
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

/** The import of one run. */
class Importing implements RunImported {
  readonly survey: RunSurvey;
  /** False if it is already complete. */
  readonly isDue: boolean;
  added = 0;
  readonly #events: RunEvents;
  readonly #ledger: Ledger;
  readonly #texts: KeptTexts;
  /** Evidence in its own store counts only once it is reported. */
  readonly #reports: IntakeReports;
  readonly #parts = new Map<string, Part>();

  constructor(
    survey: RunSurvey,
    before: Before | null,
    { source }: Reading,
    { ledger, blobs, environment, now }: Target,
  ) {
    this.survey = survey;
    this.isDue = before === null || !before.isComplete;
    this.#ledger = ledger;
    this.#texts = new KeptTexts(blobs);
    this.#reports = new IntakeReports(ledger);
    this.#events = new RunEvents(survey, {
      environment: before?.started.environment.name ?? environment ?? environmentOf(source.name),
      file: before?.started.source?.location ?? source.name,
      tool: source.tool,
      at: before?.at ?? now(),
    });
  }

  async begin(): Promise<void> {
    await this.#append(streamOf.run(this.survey.run), [outgoing(this.#events.started())]);
  }

  add(record: RolloutRecord, line: number): void {
    const { stage, split } = record;
    const stream = streamOf.evidence(this.survey.run, stage, partOf(split), 0);
    const sums = (): EvaluationSums | null =>
      isMeasured(split) ? new EvaluationSums(this.#events.descriptor, 'any') : null;
    const part = getOrCreate(this.#parts, stream, () => ({
      stream,
      stage,
      split,
      sums: sums(),
      rollouts: 0,
      waiting: [],
    }));
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
    await this.#reports.finish();
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

  /** Seals the rollouts of the stage and returns the results of those in a suite. */
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
    const appended = await this.#ledger.append(stream, all, { expect: 'any' });
    await this.#reports.appended(stream, appended);
    for (const existed of appended.existed) if (!existed) this.added++;
  }
}

/** Rollouts without a family count only in the total. */
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
  /** Null if no evaluation is based on them. */
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

class NameTaken extends IcecoreError {
  override readonly name = 'NameTaken';

  constructor(name: string, run: string) {
    super('conflict', `a run named ${name} exists that was not imported from records`, {
      facts: { name, run },
      remedy: `${nothingWritten} Give the imported run another name.`,
      commandRemedy: `${nothingWritten} --name gives the imported run another name.`,
    });
  }
}

class OtherRecords extends IcecoreError {
  override readonly name = 'OtherRecords';

  constructor({ name, run }: RunSurvey, from: string | null, file: string) {
    const before = from === null ? 'before' : `before from ${from}`;
    super('conflict', `run ${name} was imported ${before}, and its records differ from those that ${file} has now`, {
      facts: { name, run, path: file, from },
      remedy: `${nothingWritten} A run that is recorded does not change: give this one another name.`,
      commandRemedy: `${nothingWritten} A run that is recorded does not change: --name gives this one another name.`,
    });
  }
}

class OtherEnvironment extends IcecoreError {
  override readonly name = 'OtherEnvironment';

  constructor({ name, run }: RunSurvey, before: string, now: string) {
    super('conflict', `run ${name} was imported with the environment ${before}, not ${now}`, {
      facts: { name, run, found: now, allowed: before },
      remedy: `${nothingWritten} Leave out the environment, or give this run another name.`,
      commandRemedy: `${nothingWritten} Leave --environment out, or give this run another name with --name.`,
    });
  }
}

class FileChanged extends IcecoreError {
  override readonly name = 'FileChanged';

  constructor(file: string) {
    super('conflict', `${file} changed while it was read`, {
      facts: { path: file },
      remedy: 'The import is incomplete. Import the file under another name once no process writes to it.',
    });
  }
}

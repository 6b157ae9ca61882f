// Runs from records that any training script wrote, one JSON object a line, or that an importer of a plugin reads from a file.
import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { ImportNdjsonResult } from '../../../schemas/export-output.ts';
import { isLedgerThere } from '../../ledger/open.ts';
import { importRecords, type RunImported, runsThere } from '../../producers/imports/import.ts';
import {
  type ImportStep,
  linesOf,
  type Reading,
  type RecordSource,
  type RecordsFile,
  recordsOf,
  type Surveyed,
  surveyRecords,
} from '../../producers/imports/reading.ts';
import { type FieldMap, RecordReader } from '../../producers/imports/records.ts';
import { noticingWaits, withLedgerToRead } from '../opening/ledger.ts';
import { openWriter } from '../opening/writer.ts';
import { refuseLedger } from '../place/files.ts';
import { findPlace } from '../place/place.ts';
import { type Session, StepProgress } from '../session.ts';

const steps: Readonly<Record<ImportStep['doing'], string>> = { checking: 'records checked', importing: 'records' };

interface ImportRunsOptions {
  /** What the environment is called; the name of the file where left out. */
  readonly environment?: string;
  /** The name of the run, whatever the records say; the file must be of one run. */
  readonly name?: string;
  /** Checks everything and writes nothing. */
  readonly dryRun?: boolean;
}

/** How the fields of records are read, and how runs are imported from them. */
export interface ImportNdjsonOptions extends ImportRunsOptions {
  /** Where records have what icecore looks for: `{ success: 'eval.correct', split: { value: 'train' } }`. */
  readonly map?: FieldMap;
  /** How the map is called in an error: a file. */
  readonly mapName?: string;
}

/** The settings of the importer, and how runs are imported. */
export interface ImportOptions extends ImportRunsOptions {
  /** Settings of the importer. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export async function importNdjson(
  session: Session,
  file: string,
  { map, mapName, ...options }: ImportNdjsonOptions = {},
): Promise<ImportNdjsonResult> {
  const source = linesOf(recordsFile(session, file));
  return await importRuns(session, source, new RecordReader(map, mapName), options);
}

/** By an importer of a plugin. */
export async function importBy(
  session: Session,
  importer: string,
  file: string,
  { settings = {}, ...options }: ImportOptions = {},
): Promise<ImportNdjsonResult> {
  const { importers } = (await session.plugins.all()).registry;
  const entry = importers.get(importer);
  if (entry === undefined) throw new UnknownImporter(importer, [...importers.keys()]);
  const { path, open } = recordsFile(session, file);
  const given = { path, settings, bytes: open, signal: session.signal };
  const source = recordsOf({ name: file, tool: importer }, () => entry.records(given));
  return await importRuns(session, source, new RecordReader(), options);
}

class UnknownImporter extends IcecoreError {
  override readonly name = 'UnknownImporter';

  constructor(importer: string, known: readonly string[]) {
    super('not-found', `there is no importer "${importer}"`, {
      facts: { importer, known },
      remedy: known.length === 0 ? 'No plugin has one.' : `There are ${known.join(', ')}.`,
    });
  }
}

/** Nothing is written before all of it was checked. */
async function importRuns(
  session: Session,
  source: RecordSource,
  reader: RecordReader,
  { environment, name, dryRun = false }: ImportRunsOptions,
): Promise<ImportNdjsonResult> {
  const started = performance.now();
  const progress = new StepProgress(session, steps);
  const { ledger } = findPlace(session);
  const { name: file } = source;
  const reading: Reading = {
    ...{ source, reader, run: name },
    signal: session.signal,
    onProgress: (step) => progress.update(step),
  };
  try {
    const surveyed = await surveyRecords(reading);
    const runs = dryRun
      ? await checkRuns(session, surveyed, { environment, file })
      : await appendRuns(session, reading, surveyed, environment);
    return {
      ledger: ledger.url,
      file,
      dryRun,
      records: surveyed.records,
      runs: runs.map(runResult),
      added: runs.reduce((sum, { added }) => sum + added, 0),
      seconds: Number(((performance.now() - started) / 1000).toFixed(3)),
    };
  } finally {
    await progress.end();
  }
}

/** As long as it is now: whoever goes on writing to it is not waited for. */
function recordsFile(session: Session, file: string): RecordsFile & { readonly path: string } {
  const { cwd, signal } = session;
  const path = resolve(cwd, file);
  const stats = statSync(path);
  if (!stats.isFile()) {
    throw new IcecoreError('bad-input', `${file}: found no regular file, allowed: a file that can be read twice`, {
      facts: { path },
      remedy: 'Write what a pipe has to say to a file first.',
    });
  }
  refuseLedger(stats, path, findPlace(session).ledger.files);
  const { size } = stats;
  const none = async function* (): AsyncGenerator<Uint8Array> {};
  return { name: file, path, open: () => (size === 0 ? none() : createReadStream(path, { end: size - 1, signal })) };
}

async function checkRuns(
  session: Session,
  surveyed: Surveyed,
  place: { readonly environment: string | undefined; readonly file: string },
): Promise<readonly RunImported[]> {
  if (await isLedgerThere(findPlace(session).ledger.url, { onWait: noticingWaits(session) }))
    await withLedgerToRead(session, (ledger) => runsThere(surveyed, { ledger, ...place }));
  return surveyed.runs.map((survey) => ({ survey, added: 0 }));
}

async function appendRuns(
  session: Session,
  reading: Reading,
  surveyed: Surveyed,
  environment: string | undefined,
): Promise<readonly RunImported[]> {
  const { ledger, blobs, close } = await openWriter(session, { create: true });
  try {
    const now = (): string => new Date().toISOString();
    return await importRecords(reading, surveyed, { ledger, blobs: () => blobs.toWrite(), environment, now });
  } finally {
    await close();
  }
}

function runResult({ survey, added }: RunImported): ImportNdjsonResult['runs'][number] {
  const { run, name, stages } = survey;
  const sum = (counts: readonly number[]): number => counts.reduce((total, one) => total + one, 0);
  return {
    run,
    name,
    stages: stages.length,
    rollouts: sum(stages.map(({ rollouts }) => rollouts)),
    configurations: stages.filter(({ configured }) => configured !== null).length,
    measurements: sum(stages.map(({ measured }) => measured.size)),
    added,
  };
}

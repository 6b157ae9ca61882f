// Imports runs from records of any training script, one JSON object per line, or from records that a plugin's importer reads.
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { IcecoreError, UnknownName } from '../../../schemas/errors.ts';
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
import { statsAt } from '../place/source.ts';
import { type Session, StepProgress } from '../session.ts';

const steps: Readonly<Record<ImportStep['doing'], string>> = { checking: 'records checked', importing: 'records' };

interface ImportRunsOptions {
  /** The name of the environment (default: the name of the file). */
  readonly environment?: string;
  /** The name of the run, instead of the one in the records; the file must contain one run. */
  readonly name?: string;
  /** Check everything and write nothing. */
  readonly dryRun?: boolean;
}

/** How to read the fields of records, and how to import runs from them. */
export interface ImportNdjsonOptions extends ImportRunsOptions {
  /** Which fields contain what icecore needs: `{ success: 'eval.correct', split: { value: 'train' } }`. */
  readonly map?: FieldMap;
  /** The name of the map in errors: a file. */
  readonly mapName?: string;
}

/** The settings of the importer, and how to import runs. */
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

/** Uses an importer of a plugin. */
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

class UnknownImporter extends UnknownName {
  override readonly name = 'UnknownImporter';

  constructor(importer: string, known: readonly string[]) {
    super(importer, `there is no importer "${importer}"`, {
      facts: { importer, known },
      remedy: known.length === 0 ? 'No plugin has an importer.' : `Available: ${known.join(', ')}.`,
    });
  }
}

/** Checks everything before writing anything. */
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

/** Reads up to the current size, even if another program is still writing. */
function recordsFile(session: Session, file: string): RecordsFile & { readonly path: string } {
  const { cwd, signal } = session;
  const path = resolve(cwd, file);
  const stats = statsAt(path);
  if (!stats.isFile()) {
    throw new IcecoreError('bad-input', `${file}: not a regular file, which could be read twice`, {
      facts: { path },
      remedy: 'Save the output of the pipe to a file first.',
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

// Runs from records that any training script wrote, one JSON object a line.
import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { ImportNdjsonResult } from '../../../schemas/export-output.ts';
import { isLedgerThere } from '../../ledger/open.ts';
import { importRecords, type RunImported, runsThere } from '../../producers/imports/import.ts';
import {
  type ImportStep,
  type Reading,
  type RecordsFile,
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

export interface ImportNdjsonOptions {
  /** Where records have what icecore looks for: `{ success: 'eval.correct', split: { value: 'train' } }`. */
  readonly map?: FieldMap;
  /** How the map is called in an error: a file. */
  readonly mapName?: string;
  /** What the environment is called; the name of the file where left out. */
  readonly environment?: string;
  /** The name of the run, whatever the records say; the file must be of one run. */
  readonly name?: string;
  /** Checks everything and writes nothing. */
  readonly dryRun?: boolean;
}

/** Nothing is written before the whole file was checked. */
export async function importNdjson(
  session: Session,
  file: string,
  options: ImportNdjsonOptions = {},
): Promise<ImportNdjsonResult> {
  const { map, mapName, environment, name, dryRun = false } = options;
  const started = performance.now();
  const progress = new StepProgress(session, steps);
  const { ledger } = findPlace(session);
  const reading: Reading = {
    file: recordsFile(session, file, ledger.files),
    reader: new RecordReader(map, mapName),
    run: name,
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
function recordsFile({ cwd, signal }: Session, file: string, ledgerFiles: readonly string[]): RecordsFile {
  const path = resolve(cwd, file);
  const stats = statSync(path);
  if (!stats.isFile()) {
    throw new IcecoreError('bad-input', `${file}: found no regular file, allowed: a file that can be read twice`, {
      facts: { path },
      remedy: 'Write what a pipe has to say to a file first.',
    });
  }
  refuseLedger(stats, path, ledgerFiles);
  const { size } = stats;
  const none = async function* (): AsyncGenerator<Uint8Array> {};
  return { name: file, open: () => (size === 0 ? none() : createReadStream(path, { end: size - 1, signal })) };
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

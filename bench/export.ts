// The time to export all tables of a long history as Parquet, compared with DuckDB's own COPY of the same tables: into one file each, and into
// the same folders. ICECORE_BENCH_LEDGER names an existing ledger, sqlite:PATH, and ICECORE_TABLES a folder for its tables; otherwise a history
// with ICECORE_BENCH_ROLLOUTS rollouts is generated.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Choice, type ChosenTable, chosenTables } from '../src/analysis/export/tables/choice.ts';
import { parquetWriter } from '../src/analysis/export/tables/parquet.ts';
import { exportTables } from '../src/analysis/export/tables/tables.ts';
import { quote } from '../src/base/sql-quoting.ts';
import type { Ledger } from '../src/ledger/ledger.ts';
import { openLedger } from '../src/ledger/open.ts';
import { documentedTables } from '../src/projections/documentation.ts';
import { snapshotOf } from '../src/projections/snapshot.ts';
import { within } from '../src/projections/warehouse/holding.ts';
import { tablesWithin } from '../src/projections/warehouse/place.ts';
import { inFolder } from './folder.ts';
import { type Done, type Measured, sideBySide } from './measure.ts';
import { Histories } from './projection/histories.ts';
import { type Line, type Report, rateLine, ratioLine } from './report.ts';

const rollouts = Number(process.env['ICECORE_BENCH_ROLLOUTS'] ?? 1_000_000);
const rounds = 3;

export function exportBench(): Promise<Report[]> {
  return inFolder(async (folder) => {
    const url = process.env['ICECORE_BENCH_LEDGER'] ?? (await new Histories(folder).of(rollouts)).url;
    const ledger = await openLedger(url, { readOnly: true });
    try {
      const tables = tablesWithin(process.env['ICECORE_TABLES'] ?? join(folder, 'tables'), ledger);
      return [await parquetReport(new Exporting(ledger, (await snapshotOf(ledger, tables)).path, folder))];
    } finally {
      await ledger.close();
    }
  });
}

async function parquetReport(exporting: Exporting): Promise<Report> {
  const [plain, ours, cut] = (await sideBySide(
    [
      { name: 'COPY, one file per table', run: () => exporting.byDuckDb(false) },
      { name: 'icecore', run: () => exporting.byIcecore() },
      { name: 'COPY, partitioned alike', run: () => exporting.byDuckDb(true) },
    ],
    rounds,
  )) as [Measured, Measured, Measured];
  const toCut = Math.round((ours.perSecond / cut.perSecond) * 100) / 100;
  const lines: Line[] = [
    rateLine("DuckDB's COPY, one file per table, in rows", plain.perSecond),
    rateLine("DuckDB's COPY, partitioned by run and stage", cut.perSecond),
    rateLine('icecore export tables, digests included', ours.perSecond),
    ratioLine('ratio to COPY, one file per table', ours.ratio, 0.5),
    { what: 'ratio to COPY, partitioned alike', value: toCut.toFixed(2), target: '', met: null },
  ];
  const { rows, files } = exporting;
  return {
    title: `exporting ${rows.toLocaleString('en')} rows of all tables as Parquet, ${files.toLocaleString('en')} files`,
    lines,
    data: {
      rows,
      files,
      plain: plain.perSecond,
      cut: cut.perSecond,
      icecore: ours.perSecond,
      ratio: ours.ratio,
      toCut,
    },
  };
}

const settings = { access_mode: 'READ_ONLY', memory_limit: '1GiB', preserve_insertion_order: 'false' };

class Exporting {
  readonly #ledger: Ledger;
  readonly #snapshot: string;
  readonly #to: string;
  rows = 0;
  files = 0;

  constructor(ledger: Ledger, snapshot: string, folder: string) {
    this.#ledger = ledger;
    this.#snapshot = snapshot;
    this.#to = join(folder, 'exported');
  }

  async byDuckDb(isCut: boolean): Promise<Done> {
    const { tables } = await this.#fresh();
    const begun = performance.now();
    const spilling = { ...settings, temp_directory: `${this.#to}.spill` };
    const units = await within(this.#snapshot, spilling, {}, async (connection) => {
      let rows = 0;
      for (const chosen of tables) {
        const copied = await connection.run(copyOf(chosen, this.#to, isCut));
        rows += copied.rowsChanged;
      }
      return rows;
    });
    return { units, milliseconds: performance.now() - begun };
  }

  async byIcecore(): Promise<Done> {
    const choice = await this.#fresh();
    const begun = performance.now();
    const { manifest } = await exportTables({
      ledger: this.#ledger,
      snapshot: this.#snapshot,
      to: this.#to,
      choice,
      runs: null,
      as: 'parquet',
      icecore: 'bench',
      writer: parquetWriter,
      signal: new AbortController().signal,
      onProgress: async () => {},
    });
    const milliseconds = performance.now() - begun;
    this.rows = manifest.tables.reduce((sum, { rows }) => sum + rows, 0);
    this.files = manifest.tables.reduce((sum, { files }) => sum + files.length, 0);
    return { units: this.rows, milliseconds };
  }

  async #fresh(): Promise<Choice> {
    rmSync(this.#to, { recursive: true, force: true });
    return chosenTables(await documentedTables(), [], null, true);
  }
}

function copyOf({ table: { name }, partitions, query }: ChosenTable, folder: string, isCut: boolean): string {
  mkdirSync(join(folder, name), { recursive: true });
  const by = isCut && partitions.length > 0 ? `, PARTITION_BY (${partitions.join(', ')})` : '';
  const to = join(folder, name, by === '' ? 'whole.parquet' : 'cut');
  return `COPY (${query}) TO ${quote(to)} (FORMAT parquet${by})`;
}

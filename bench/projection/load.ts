// Fills tables in a separate process, to measure its memory: the projector from a ledger, or DuckDB's read_json alone from prepared files.
// `node bench/projection/load.ts project|peer SOURCE FOLDER`
import { linkSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openLedger } from '../../src/ledger/open.ts';
import { fillTables } from '../../src/projections/projector/filling.ts';
import { inTransaction, layOut, makeStored, makeViews } from '../../src/projections/projector/layout.ts';
import { project } from '../../src/projections/projector/projector.ts';
import { tableCatalogue, tableDefinitions } from '../../src/projections/tables/catalogue.ts';
import { fillingIn, hold } from '../../src/projections/warehouse/holding.ts';
import { peakMiB } from '../million.ts';

export interface Loaded {
  readonly seconds: number;
  readonly bytes: number;
  readonly peakMiB: number;
}

async function byProjector(url: string, folder: string): Promise<string> {
  const ledger = await openLedger(url, { readOnly: true });
  const { path } = await project(ledger, folder);
  await ledger.close();
  return path;
}

/** The same tables by the same statements with the same settings, in one transaction. */
async function byReadJson(files: string, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'peer.duckdb');
  const settings = fillingIn(path);
  const held = await hold(path, settings);
  const connection = await held.connect();
  await layOut(connection, 'peer');
  // DuckDB may read no other folder.
  const readable = settings['temp_directory'] ?? '';
  mkdirSync(readable, { recursive: true });
  const ofType = new Map(
    readdirSync(files).map((name) => {
      linkSync(join(files, name), join(readable, name));
      return [basename(name, '.ndjson'), [join(readable, name)]] as const;
    }),
  );
  await inTransaction(connection, async () => {
    await makeStored(connection, tableDefinitions());
    await fillTables(connection, tableCatalogue(), ofType);
    await makeViews(connection, tableDefinitions());
  });
  held.release();
  return path;
}

const [, program, way, source = '', folder = ''] = process.argv;
if (program?.endsWith('load.ts')) {
  const begun = performance.now();
  const path = await (way === 'peer' ? byReadJson(source, folder) : byProjector(source, folder));
  const seconds = Math.round(performance.now() - begun) / 1000;
  console.log(JSON.stringify({ seconds, bytes: statSync(path).size, peakMiB: peakMiB() } satisfies Loaded));
}

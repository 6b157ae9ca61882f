// Rebuilding tables from a ledger, compared with DuckDB's own read_json loading the same events from files into the same tables.
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median } from '../measure.ts';
import { type Report, rateLine, ratioLine } from '../report.ts';
import type { Made } from './histories.ts';
import type { Loaded } from './load.ts';
import { writeEvents } from './peer.ts';

const rounds = 3;
const mostMiB = 1000;
const run = promisify(execFile);
const program = fileURLToPath(new URL('./load.ts', import.meta.url));

export async function load(way: 'project' | 'peer', source: string, folder: string): Promise<Loaded> {
  const output = await run(process.execPath, [program, way, source, folder]);
  return JSON.parse(output.stdout) as Loaded;
}

export async function loadingReport({ url, events }: Made, folder: string): Promise<Report> {
  const files = join(folder, 'events');
  await writeEvents(url, files);
  const ours: Loaded[] = [];
  const peers: Loaded[] = [];
  for (let round = 0; round < rounds; round++) {
    const [own, peer] = [join(folder, 'own'), join(folder, 'peer')];
    ours.push(await load('project', url, own));
    peers.push(await load('peer', files, peer));
    await Promise.all([own, peer].map((path) => rm(path, { recursive: true })));
  }
  await rm(files, { recursive: true });
  const ratio = median(ours.map(({ seconds }, round) => (peers[round]?.seconds ?? Number.NaN) / seconds));
  const peak = Math.max(...ours.map(({ peakMiB }) => peakMiB));
  const bytes = ours[0]?.bytes ?? 0;
  return {
    title: `tables of ${events.toLocaleString('en')} events rebuilt`,
    lines: [
      rateLine('from SQLite, in events', events / median(ours.map(({ seconds }) => seconds))),
      rateLine('read_json of prepared files', events / median(peers.map(({ seconds }) => seconds))),
      ratioLine('of its rate, in the same round', ratio, 0.5),
      { what: 'peak memory', value: `${peak} MiB`, target: `under ${mostMiB} MiB`, met: peak < mostMiB },
      { what: 'size of the tables', value: `${Math.round(bytes / 1e6)} MB`, target: '', met: null },
    ],
    data: { events, ours, peers, ratio },
  };
}

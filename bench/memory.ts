// Memory and growth: a million events (or as many as ICECORE_BENCH_EVENTS says) appended and read, each by a process of
// its own.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Million } from './million.ts';
import type { Line, Report } from './report.ts';

const events = Number(process.env['ICECORE_BENCH_EVENTS'] ?? 1_000_000);
const limitMiB = 300;

export function memoryBench(): Report[] {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-bench-'));
  const path = join(folder, 'ledger.db');
  try {
    const append = child('append', path);
    const read = child('read', path);
    return [
      {
        title: `${events.toLocaleString('en')} events`,
        lines: [
          peak('peak memory, appending', append),
          rate('appended', append),
          { what: 'rate of the last tenth to the first', value: append.lastToFirst.toFixed(2), target: '', met: null },
          peak('peak memory, reading and parsing all', read),
          rate('read and parsed', read),
        ],
        data: { append, read },
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function child(task: 'append' | 'read', path: string): Million {
  const program = fileURLToPath(new URL('./million.ts', import.meta.url));
  return JSON.parse(
    execFileSync(process.execPath, [program, task, path, String(events)], { encoding: 'utf8' }),
  ) as Million;
}

function peak(what: string, { peakMiB }: Million): Line {
  return { what, value: `${peakMiB} MiB`, target: `under ${limitMiB} MiB`, met: peakMiB < limitMiB };
}

function rate(what: string, { events: count, seconds }: Million): Line {
  return { what, value: `${Math.round(count / seconds).toLocaleString('en')}/s`, target: '', met: null };
}

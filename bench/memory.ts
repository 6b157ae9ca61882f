// Memory and growth: appending and reading a million events (or ICECORE_BENCH_EVENTS), each in a separate process.
import { join } from 'node:path';
import { inFolder } from './folder.ts';
import { child, type Million, peak } from './million.ts';
import type { Line, Report } from './report.ts';

const events = Number(process.env['ICECORE_BENCH_EVENTS'] ?? 1_000_000);

export function memoryBench(): Promise<Report[]> {
  return inFolder((folder) => {
    const path = join(folder, 'ledger.db');
    const append = child('append', path, events);
    const read = child('read', path, events);
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
  });
}

function rate(what: string, { events: count, seconds }: Million): Line {
  return { what, value: `${Math.round(count / seconds).toLocaleString('en')}/s`, target: '', met: null };
}

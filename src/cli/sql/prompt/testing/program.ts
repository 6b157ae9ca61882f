// A program that is only the prompt, to be run in a terminal: `node program.ts HISTORY`.
import { setTimeout as later } from 'node:timers/promises';
import { processIo } from '../../../io.ts';
import { report } from '../../../report.ts';
import { prompt } from '../prompt.ts';

const io = processIo();
const aDay = 24 * 3600 * 1000;

process.exitCode = await prompt(
  {
    formats: ['table'],
    settings: { format: 'table', rows: null },
    ask: async (sql, _, signal) => {
      await io.stdout.write(`asked ${sql}\n`);
      if (sql.includes('endless')) await later(aDay, undefined, { signal });
    },
    complete: async () => [],
    tables: async () => 'runs',
    schema: async () => 'run',
  },
  {
    terminal: {
      input: io.stdin,
      output: io.stdout,
      isDumb: io.env['TERM'] === 'dumb',
      paint: (text) => text,
      onResize: () => () => undefined,
    },
    historyFile: process.argv[2] ?? null,
    signal: io.signal,
    showFault: async (fault) => void (await report(fault, io, { json: false, quiet: false })),
  },
);

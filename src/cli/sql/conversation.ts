// The prompt, given a ledger to ask about. Between two questions nothing is open but the ledger.
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { makeFolder } from '../../ledger/folders.ts';
import type { Context } from '../context.ts';
import { report } from '../report.ts';
import { answer, completions, type Room } from './answering.ts';
import { type AnyFormat, type Asked, limitFor } from './asked.ts';
import type { Desk } from './prompt/desk.ts';
import { prompt } from './prompt/prompt.ts';
import { terminalOf } from './prompt/terminal.ts';

export async function converse(room: Room, asked: Asked): Promise<number> {
  const { context } = room;
  return await prompt(deskOf(room, asked), {
    terminal: terminalOf(context.io),
    historyFile: historyFile(context),
    signal: context.signal,
    tell: async (fault) => {
      await report(fault, context.io, { ...context.flags, json: false });
    },
  });
}

/** What a terminal can show. */
const shown: readonly AnyFormat[] = ['table', 'csv', 'json', 'ndjson', 'markdown'];

function deskOf(room: Room, asked: Asked): Desk {
  return {
    formats: shown,
    settings: {
      format: shown.includes(asked.format) ? asked.format : 'table',
      rows: limitFor('table', asked.limit),
    },
    ask: async (sql, { format, rows }, signal) => {
      const known = shown.find((one) => one === format) ?? 'table';
      await answer(room, sql, { ...asked, format: known, limit: rows, output: null }, signal);
    },
    complete: (text) => completions(room, text, asked),
    tables: async () => (await import('./described.ts')).tablesText(room.context),
    schema: async (name) => (await import('./described.ts')).columnsText(room.context, name),
  };
}

/** One for each person, like those of other shells; null where there is no place for it. */
function historyFile({ io }: Pick<Context, 'io'>): string | null {
  const named = io.env['XDG_STATE_HOME'] ?? '';
  // A relative path is ignored, as the XDG specification demands.
  const state = isAbsolute(named) ? named : join(io.env['HOME'] || homedir(), '.local', 'state');
  const folder = join(state, 'icecore');
  try {
    makeFolder(folder);
    return join(folder, 'sql-history');
  } catch {
    return null;
  }
}

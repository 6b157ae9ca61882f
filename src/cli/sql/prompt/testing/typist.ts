// Somebody at a prompt, for tests: types, and waits until something is seen.
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { PipeClosed } from '../../../../base/sink.ts';
import type { PromptHost, Settings } from '../commands.ts';
import { prompt } from '../prompt.ts';
import { Seen } from './seen.ts';

export interface Typist {
  /** What was asked, in order. */
  readonly asked: readonly string[];
  readonly settings: readonly Settings[];
  readonly seen: string;
  readonly faults: readonly unknown[];
  /** Whether the terminal gives every key at once. */
  readonly isRaw: boolean;
  readonly code: Promise<number>;
  type(...keys: readonly string[]): void;
  /** Resolves when this is seen, or holds. */
  until(what: string | RegExp | (() => boolean)): Promise<void>;
  resize(columns: number): void;
  hangUp(): void;
  /** Nobody reads any more what is printed. */
  goAway(): void;
}

export interface Place {
  readonly host?: Partial<PromptHost>;
  readonly columns?: number;
  readonly rows?: number;
  readonly historyFile?: string;
  readonly isDumb?: true;
  readonly signal?: AbortSignal;
}

export const key = {
  enter: '\r',
  tab: '\t',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
  toStart: '\u001b[H',
  backspace: '\u007f',
  altEnter: '\u001b\r',
  ctrl: (letter: string): string => String.fromCharCode(letter.charCodeAt(0) - 96),
  pasted: (text: string): string => `\u001b[200~${text}\u001b[201~`,
} as const;

function sitDown(place: Place = {}): Typist {
  const terminal = { columns: place.columns ?? 80, rows: place.rows ?? 30 };
  const seen = new Seen(terminal.columns, terminal.rows);
  const [asked, settings, faults]: [string[], Settings[], unknown[]] = [[], [], []];
  let isRaw = false;
  const setRawMode = (raw: boolean): void => {
    isRaw = raw;
  };
  const input = Object.assign(new PassThrough(), { setRawMode });
  let isThere = true;
  let resized = (): void => {};
  const write = async (text: string | Uint8Array): Promise<void> => {
    if (!isThere) throw new PipeClosed();
    seen.write(String(text));
  };
  const host: PromptHost = {
    formats: ['table', 'csv', 'json'],
    settings: { format: 'table', rows: 40 },
    ask: async (sql) => await write(`answer to ${sql.replace(/\s+/g, ' ')}\n`),
    complete: async () => [],
    tables: async () => 'rollouts\nruns',
    schema: async (name) => `columns of ${name ?? 'all'}`,
    ...place.host,
  };
  const ending = new AbortController();
  onTestFinished(() => void input.end());
  const code = prompt(
    {
      ...host,
      ask: async (sql, set, signal) => {
        asked.push(sql);
        settings.push(set);
        await host.ask(sql, set, signal);
      },
    },
    {
      terminal: {
        input,
        output: {
          isTTY: true,
          write,
          get columns() {
            return terminal.columns;
          },
          rows: terminal.rows,
        },
        isDumb: place.isDumb === true,
        paint: (text) => text,
        onResize: (listener) => {
          resized = listener;
          return () => {};
        },
      },
      historyFile: place.historyFile ?? null,
      signal: place.signal ?? ending.signal,
      showFault: async (fault) => {
        faults.push(fault);
        await write(`${fault instanceof Error ? fault.message : fault}\n`);
      },
    },
  );
  return {
    asked,
    settings,
    faults,
    code,
    get seen() {
      return seen.text;
    },
    get isRaw() {
      return isRaw;
    },
    type: (...keys) => {
      for (const one of keys) input.write(one);
    },
    until: async (what) => {
      const pattern = typeof what === 'string' ? () => seen.text.includes(what) : what;
      const holds = pattern instanceof RegExp ? () => pattern.test(seen.text) : pattern;
      while (!holds()) await turn();
    },
    resize: (columns) => {
      terminal.columns = columns;
      resized();
    },
    hangUp: () => void input.end(),
    goAway: () => {
      isThere = false;
    },
  };
}

/** At a prompt that is ready, below its greeting. */
export async function atPrompt(place: Place = {}): Promise<Typist> {
  const typist = sitDown(place);
  await typist.until('icecore> ');
  return typist;
}

/** A host whose answers come when somebody stops them, and never else. */
export function endless(): Place {
  const ask = (sql: string, _: unknown, signal: AbortSignal): Promise<void> =>
    sql.includes('endless')
      ? new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('interrupted'))))
      : Promise.resolve();
  return { host: { ask } };
}

// The demo with a run of the test's own: everything else is as it is when icecore demo is typed.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll } from 'vitest';
import type { Sink } from '../../../base/sink.ts';
import { createContext } from '../../context.ts';
import type { Io } from '../../io.ts';
import { main } from '../../main.ts';
import { report } from '../../report.ts';
import type { Ran } from '../../testing/harness.ts';
import { demo } from '../demo.ts';

export interface DemoOptions {
  readonly cwd: string;
  readonly folder?: string;
  /** What the run is asked for. */
  readonly asked: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** Called with each text written to standard error. */
  readonly onError?: (text: string) => void;
}

export async function ranDemo(options: DemoOptions): Promise<Ran> {
  const { cwd, folder = 'icecore-demo', asked, env = {}, json = false, quiet = false, onError } = options;
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const sink = (texts: string[], result?: (text: string) => void): Sink => ({
    isTTY: false,
    columns: 80,
    write: async (text) => {
      texts.push(String(text));
      result?.(String(text));
    },
  });
  const io: Io = {
    stdin: Readable.from([]),
    stdout: sink(stdout),
    stderr: sink(stderr, onError),
    env,
    cwd,
    signal: options.signal ?? new AbortController().signal,
  };
  const flags = { json, quiet };
  const code = await demo(createContext(io, flags, main), folder, asked).catch((fault) => report(fault, io, flags));
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}

/** A folder for all tests of a group, gone when they are over. */
export function lastingFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'icecore-demo-')));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

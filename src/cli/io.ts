// What the command line uses of the process: three streams, the environment, the current folder, and the signal that stops it.
// Tests pass their own.
import { fstatSync } from 'node:fs';
import type { Sink } from '../base/sink.ts';
import type { CommandIo } from '../library/plugins/command.ts';
import type { Plugin } from '../library/plugins/index.ts';

export interface Io extends CommandIo {
  /** False: ignore settings files. */
  readonly config?: false;
  /** Aborts with the name of the signal: SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Plugins of the program that embeds the command line, beside those that come with icecore. */
  readonly plugins?: readonly Plugin[];
}

/** One press can arrive twice: a terminal and `timeout` signal the whole process group, and a parent may pass it on. */
const sameSignalMs = 300;

/** The streams of this process. A second signal ends it at once. */
export function processIo(): Io {
  return {
    get stdin() {
      return process.stdin;
    },
    stdout: sink(process.stdout, 1),
    stderr: deafTo(sink(process.stderr, 2)),
    env: process.env,
    cwd: process.cwd(),
    signal: stopSignal(),
  };
}

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

export type StopSignal = keyof typeof exitCodes;

export function exitCodeOf(signal: StopSignal): number {
  return exitCodes[signal];
}

function stopSignal(): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  for (const name of Object.keys(exitCodes) as StopSignal[]) {
    process.on(name, () => {
      if (!controller.signal.aborted) {
        first = performance.now();
        controller.abort(name);
      } else if (performance.now() - first > sameSignalMs) process.exit(exitCodes[name]);
    });
  }
  return controller.signal;
}

/** A closed standard error does not stop the work. */
function deafTo(sink: Sink): Sink {
  const write: Sink['write'] = (text) => sink.write(text).catch(() => {});
  return Object.create(sink, { write: { value: write } }) as Sink;
}

/** EPIPE is reported once; later writes fail because the stream is destroyed. */
const gone = ['EPIPE', 'ERR_STREAM_DESTROYED'];

function sink(stream: NodeJS.WriteStream, fd: number): Sink {
  // The callback of write reports the fault; without a listener the event of the same fault would end the process.
  stream.on('error', () => {});
  return {
    get isTTY() {
      return stream.isTTY === true;
    },
    get isFile() {
      return fstatSync(fd).isFile();
    },
    get columns() {
      return stream.columns || 80;
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (fault) => {
          if (fault === null || fault === undefined) resolve();
          else if (!gone.includes((fault as NodeJS.ErrnoException).code ?? '')) reject(fault);
          // Imported here, so that help starts without it.
          else void import('../base/sink.ts').then(({ PipeClosed }) => reject(new PipeClosed()));
        });
      }),
  };
}

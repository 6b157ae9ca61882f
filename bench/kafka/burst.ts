// A burst: half a million events come as fast as they can be written while another process keeps tables up to date. How far
// it falls behind, when it has caught up, and how much memory either holds.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openLedger } from '../../src/ledger/open.ts';
import type { Report } from '../report.ts';

const events = 500_000;

export interface Progress {
  readonly events: number;
  readonly peakMiB: number;
}

export async function burstReport(brokers: readonly string[], prefix: string, folder: string): Promise<Report> {
  const url = `kafka://${brokers.join(',')}/${prefix}?partitions=1`;
  await (await openLedger(url, { create: true })).close();
  const follower = new Worker('./follower.ts', [url, join(folder, 'burst-tables')]);
  await follower.reaches(0);
  const begun = performance.now();
  let most = 0;
  const writer = new Worker('./writer.ts', [url, String(events)], (done) => {
    most = Math.max(most, done - follower.progress.events);
  });
  await writer.reaches(events);
  const written = performance.now();
  await follower.reaches(events);
  const behind = performance.now() - written;
  follower.stop();
  return reportOf({ most, writing: written - begun, behind, of: [writer.progress, follower.progress] });
}

/** A process that says how far it is. */
class Worker {
  readonly #child: ChildProcess;
  progress: Progress = { events: -1, peakMiB: 0 };
  #wake: () => void = () => {};
  readonly #ended: Promise<void>;

  constructor(program: string, task: readonly string[], tell: (events: number) => void = () => {}) {
    const path = fileURLToPath(new URL(program, import.meta.url));
    this.#child = spawn(process.execPath, [path, ...task], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#ended = this.#ends();
    // Whoever waits for it meets its fault; nobody need wait.
    this.#ended.catch(() => {});
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      this.progress = JSON.parse(line);
      tell(this.progress.events);
      this.#wake();
    });
  }

  async reaches(count: number): Promise<void> {
    while (this.progress.events < count) {
      const more = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await Promise.race([more, this.#ended]);
    }
  }

  stop(): void {
    this.#child.kill();
  }

  async #ends(): Promise<void> {
    const [code] = await once(this.#child, 'exit');
    if (code !== 0 && code !== null) throw new Error(`a process of the burst ended with ${code}`);
  }
}

interface Found {
  readonly most: number;
  readonly writing: number;
  readonly behind: number;
  readonly of: readonly [writer: Progress, follower: Progress];
}

function reportOf({ most, writing, behind, of: [writer, follower] }: Found): Report {
  const plain = (what: string, value: string) => ({ what, value, target: '', met: null });
  return {
    title: `Kafka, a burst of ${events.toLocaleString('en')} events while tables follow`,
    lines: [
      plain('written in', `${(writing / 1000).toFixed(1)} s`),
      plain('tables behind by at most', `${most.toLocaleString('en')} events`),
      plain('caught up after the last', `${(behind / 1000).toFixed(1)} s`),
      plain('peak memory of who fills the tables', `${follower.peakMiB} MiB`),
      plain('peak memory of who writes', `${writer.peakMiB} MiB`),
    ],
    data: { events, writing, behind, most, writer: writer.peakMiB, follower: follower.peakMiB },
  };
}

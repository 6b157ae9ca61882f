// Starts, watches and kills writer processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Orders } from './writer-process.ts';

export interface Acknowledged {
  readonly revision: number;
  readonly from: number;
  readonly count: number;
}

export class Writer {
  readonly acknowledged: Acknowledged[] = [];
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  readonly #ended: Promise<number | null>;
  #complaint = '';
  #reached: { count: number; resolve: () => void } | null = null;

  constructor(orders: Orders) {
    const program = fileURLToPath(new URL('./writer-process.ts', import.meta.url));
    this.#child = spawn(process.execPath, [program, JSON.stringify(orders)], { stdio: 'pipe' });
    this.#child.stderr?.on('data', (text: Buffer) => {
      this.#complaint += text.toString();
    });
    const lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream });
    this.#ready = once(lines, 'line').then(() => undefined);
    lines.on('line', (line) => this.#note(line));
    this.#ended = Promise.all([once(this.#child, 'exit'), once(lines, 'close')]).then(
      ([[code]]) => code as number | null,
    );
  }

  /** Lets it begin once it has opened the ledger. */
  async ready(): Promise<void> {
    await Promise.race([this.#ready, this.#ended]);
  }

  /** Resolves when this number of appends is acknowledged. */
  reaches(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#reached = { count, resolve };
    });
  }

  go(): void {
    this.#child.stdin?.write('go\n');
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Suspends the process without its noticing, until it is resumed. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Waits for its end; throws its error output unless it was killed or succeeded. */
  async ended(): Promise<void> {
    const code = await this.#ended;
    if (code !== 0 && code !== null) throw new Error(`the writer failed with ${code}: ${this.#complaint}`);
  }

  /** The indices of all acknowledged events. */
  indices(): number[] {
    return this.acknowledged.flatMap(({ from, count }) => Array.from({ length: count }, (_, i) => from + i));
  }

  #note(line: string): void {
    if (line === 'ready') return;
    const [revision = -1, from = 0, count = 0] = line.split(' ').map(Number);
    this.acknowledged.push({ revision, from, count });
    if (this.#reached !== null && this.acknowledged.length >= this.#reached.count) this.#reached.resolve();
  }
}

/** Starts all writers and lets them begin together. */
export async function startTogether(orders: readonly Orders[]): Promise<Writer[]> {
  const writers = orders.map((one) => new Writer(one));
  await Promise.all(writers.map((writer) => writer.ready()));
  for (const writer of writers) writer.go();
  return writers;
}

// Processes that take part in a tiny run.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url));

export interface Part {
  readonly folder: string;
  readonly run: string;
  readonly leaseSeconds: number;
  /** How many hours its clock is ahead. */
  readonly skew?: number;
  /** What it orchestrates; without it, it is a worker. */
  readonly orchestrates?: { readonly settings: object; readonly models: object };
}

export class Process {
  readonly progress: { readonly kind: string; readonly says?: string }[] = [];
  stderr = '';
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #more = Promise.withResolvers<void>();
  isOver = false;

  constructor({ folder, run, leaseSeconds, skew = 0, orchestrates }: Part) {
    const words = ['--folder', folder, '--run', run, '--lease', String(leaseSeconds), `--skew=${skew}`];
    const orchestrating = orchestrates === undefined ? [] : ['--orchestrates', JSON.stringify(orchestrates)];
    this.#child = spawn(process.execPath, [program, ...words, ...orchestrating], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stderr?.on('data', (chunk) => {
      this.stderr += String(chunk);
    });
    this.#ended = Promise.all([this.#listen(), once(this.#child, 'close')]);
  }

  send(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves when it has reported such an event; throws if it ends before. */
  async says(kind: string): Promise<void> {
    while (!this.progress.some((one) => one.kind === kind)) {
      if (this.isOver) throw new Error(`it ended without ${kind}: ${this.stderr}`);
      await this.#more.promise;
    }
  }

  /** Resolves when it has reported this number of further events, or has ended. */
  async saysSoMany(lines: number): Promise<void> {
    const until = this.progress.length + lines;
    while (this.progress.length < until && !this.isOver) await this.#more.promise;
  }

  /** Resolves when it has reported such an event once more, or has ended. */
  async saysAnother(kind: string): Promise<void> {
    const from = this.progress.length;
    while (!this.progress.slice(from).some((one) => one.kind === kind) && !this.isOver) await this.#more.promise;
  }

  /** Its exit code; null if it was killed. */
  async ended(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }

  /** Even if it is suspended. */
  async kill(): Promise<void> {
    this.send('SIGKILL');
    await this.#ended;
  }

  async #listen(): Promise<void> {
    if (this.#child.stdout === null) return;
    for await (const line of createInterface(this.#child.stdout)) {
      this.progress.push(JSON.parse(line));
      this.#tell();
    }
    this.isOver = true;
    this.#tell();
  }

  #tell(): void {
    this.#more.resolve();
    this.#more = Promise.withResolvers();
  }
}

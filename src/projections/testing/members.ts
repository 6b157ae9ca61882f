// Members of a group that fill tables, each a process of its own, and what they say of it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./sharing-process.ts', import.meta.url));

export interface Place {
  readonly url: string;
  readonly group: string;
  /** Of the group's tables. */
  readonly folder: string;
}

export class FillingMember {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #lines: string[] = [];
  #news = Promise.withResolvers<void>();

  constructor({ url, group, folder }: Place) {
    this.#child = spawn(process.execPath, [program, url, group, folder, '10'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#ended = once(this.#child, 'exit').finally(() => this.#tell());
    if (this.#child.stdout === null) throw new Error('the process has no output');
    createInterface(this.#child.stdout).on('line', (line) => {
      this.#lines.push(line);
      this.#tell();
    });
  }

  /** The shards it was at, in the middle of one of them at the end if that is where it is. */
  get batches(): readonly string[] {
    return this.#lines.filter((line) => line.startsWith('batch ')).map(shardIn);
  }

  get filled(): readonly string[] {
    return this.#lines.filter((line) => line.startsWith('filled ')).map(shardIn);
  }

  /** The shard it has begun and not filled. */
  get inTheMiddleOf(): string | null {
    const last = this.#lines.at(-1);
    return last?.startsWith('batch ') === true ? shardIn(last) : null;
  }

  /** Looks again at each line. Throws where it has ended before. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      this.requireRunning();
      await this.#news.promise;
    }
  }

  requireRunning(): void {
    if (this.#child.exitCode !== null) throw new Error(`a member ended with ${this.#child.exitCode}`);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  async leave(): Promise<void> {
    this.#child.stdin?.end('leave\n');
    await this.#ended;
    if (this.#child.exitCode !== 0) throw new Error(`a member that left ended with ${this.#child.exitCode}`);
  }

  #tell(): void {
    const news = this.#news;
    this.#news = Promise.withResolvers();
    news.resolve();
  }
}

function shardIn(line: string): string {
  return line.split(' ')[1] ?? '';
}

// One process of Apache Kafka in a folder of its own, which outlives the process: killed and started again it goes on with
// what it had.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { classPath } from './jars.ts';

const shown = 40;

export class KafkaProcess {
  readonly #settings: string;
  readonly #said: string;
  readonly #heapMb: number;
  #child: ChildProcess | null = null;

  private constructor(folder: string, heapMb: number) {
    this.#settings = join(folder, 'server.properties');
    this.#said = join(folder, 'said.log');
    this.#heapMb = heapMb;
  }

  /** Makes the folder, with all that belongs there before the first start. */
  static async make(folder: string, cluster: string, heapMb: number, settings: Settings): Promise<KafkaProcess> {
    const made = new KafkaProcess(folder, heapMb);
    mkdirSync(folder, { recursive: true });
    writeFileSync(made.#settings, settings(join(folder, 'data')));
    const format = ['kafka.tools.StorageTool', 'format', '--cluster-id', cluster, '--config', made.#settings];
    await promisify(execFile)('java', ['-cp', classPath, ...format]);
    return made;
  }

  get runs(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  start(): void {
    if (this.runs) return;
    const said = openSync(this.#said, 'a');
    const options = [`-Xmx${this.#heapMb}m`, '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'];
    this.#child = spawn('java', [...options, '-cp', classPath, 'kafka.Kafka', this.#settings], {
      stdio: ['ignore', said, said],
    });
    closeSync(said);
  }

  /** At once, as when the machine loses its power; returns when the process is gone. */
  async kill(): Promise<void> {
    if (this.#child === null || !this.runs) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }

  /** It no longer answers, and its connections stay. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** The end of what it had to say. */
  lastWords(): string {
    return readFileSync(this.#said, 'utf8').trimEnd().split('\n').slice(-shown).join('\n');
  }
}

/** The text of the settings for a folder of data. */
type Settings = (data: string) => string;

// One process of Apache Kafka with its own folder, which outlives the process: after a kill and restart it continues with its data.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { classPath } from './jars.ts';
import { shortLived, withArchive } from './java.ts';

const shown = 40;

export class KafkaProcess {
  readonly #settings: string;
  readonly #said: string;
  readonly #options: readonly string[];
  #child: ChildProcess | null = null;

  private constructor(folder: string, options: readonly string[]) {
    this.#settings = join(folder, 'server.properties');
    this.#said = join(folder, 'said.log');
    this.#options = options;
  }

  /** Creates the folder with everything needed before the first start. */
  static async make({ folder, cluster, options, settings, formattedWith }: Making): Promise<KafkaProcess> {
    const made = new KafkaProcess(folder, options);
    mkdirSync(folder, { recursive: true });
    writeFileSync(made.#settings, settings(join(folder, 'data')));
    const format = [
      'kafka.tools.StorageTool',
      'format',
      '--cluster-id',
      cluster,
      '--config',
      made.#settings,
      ...formattedWith,
    ];
    await promisify(execFile)('java', [...withArchive, ...shortLived, '-cp', classPath, ...format]);
    return made;
  }

  get runs(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  start(): void {
    if (this.runs) return;
    const said = openSync(this.#said, 'a');
    const options = [...this.#options, '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', '-cp', classPath];
    this.#child = spawn('java', [...options, 'kafka.Kafka', this.#settings], { stdio: ['ignore', said, said] });
    closeSync(said);
  }

  /** Usually with SIGKILL, as in a power failure; returns when the process is gone. */
  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    if (this.#child === null || !this.runs) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill(signal);
    await gone;
  }

  /** It stops answering, and its connections stay open. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** The end of its output. */
  lastWords(): string {
    return readFileSync(this.#said, 'utf8').trimEnd().split('\n').slice(-shown).join('\n');
  }
}

interface Making {
  readonly folder: string;
  /** The identity of its cluster. */
  readonly cluster: string;
  /** Options for Java. */
  readonly options: readonly string[];
  /** The text of the settings, given the data folder. */
  readonly settings: (data: string) => string;
  /** More options of the tool that makes the folder. */
  readonly formattedWith: readonly string[];
}

// A server under load for a while: writers append, clients follow live, and queries are asked, all at the same time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { noteIn } from '../../../ledger/contract/samples.ts';
import { ndjson } from '../../testing/events.ts';
import { bare, bin } from '../../testing/harness.ts';

export interface SoakOptions {
  /** The folder of the workspace. */
  readonly cwd: string;
  readonly seconds: number;
  /** A number from 0 to 1 for each purpose. */
  readonly drawn: (purpose: string) => number;
  readonly onMinute?: (minutes: number, events: number, megabytes: number) => void;
}

export interface Soaked {
  readonly events: number;
  readonly queries: number;
  /** The resident memory of the server, the highest of the earlier and of the later half after its start. */
  readonly megabytes: readonly [earlier: number, later: number];
  readonly faults: readonly string[];
}

const writers = 3;
const followers = 10;
const mostGrowthMegabytes = 100;

/** Nothing is lost, every follower gets every event once and in order, and the memory of the server stays flat. */
export async function soakServer(options: SoakOptions): Promise<Soaked> {
  const child = spawn(process.execPath, [bin, 'serve', '--port', '0', '--quiet'], {
    ...{ cwd: options.cwd, env: bare() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const [url = ''] = /http:\/\/\S+/.exec(said.toString()) ?? [];
    return await new Soak(url, options).run();
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

class Soak {
  readonly #url: string;
  readonly #options: SoakOptions;
  readonly #appended: number[] = Array.from({ length: writers }, () => 0);
  readonly #received: number[][] = Array.from({ length: followers }, () => this.#appended.map(() => 0));
  readonly #memory: number[] = [];
  readonly #faults: string[] = [];
  /** Aborts when nothing more is appended or asked. */
  readonly #over = new AbortController();
  /** Aborts when the followers leave. */
  readonly #left = new AbortController();
  #queries = 0;

  constructor(url: string, options: SoakOptions) {
    this.#url = url;
    this.#options = options;
  }

  async run(): Promise<Soaked> {
    const following = this.#received.map((counts) => this.#guarded('a follower', this.#follow(counts)));
    const timer = setTimeout(() => this.#over.abort(), this.#options.seconds * 1000);
    await Promise.all([
      ...this.#appended.map((_, writer) => this.#guarded(`writer ${writer}`, this.#write(writer))),
      this.#guarded('queries', this.#ask()),
    ]);
    clearTimeout(timer);
    await this.#allReceived();
    this.#left.abort();
    await Promise.all(following);
    await this.#guarded('the tables', this.#allInTables());
    const megabytes = highestByHalf(this.#memory);
    const [earlier, later] = megabytes;
    if (later - earlier > mostGrowthMegabytes)
      this.#faults.push(`the memory of the server grew from ${Math.round(earlier)} to ${Math.round(later)} MB`);
    return { events: this.#total, queries: this.#queries, megabytes, faults: this.#faults };
  }

  get #total(): number {
    return this.#appended.reduce((sum, count) => sum + count, 0);
  }

  /** A part that fails ends the others. */
  async #guarded(who: string, work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (fault) {
      this.#faults.push(`${who}: ${fault instanceof Error ? fault.message : String(fault)}`);
      this.#over.abort();
    }
  }

  async #write(writer: number): Promise<void> {
    const { drawn } = this.#options;
    const stream = `notes-writer${writer}`;
    for (let round = 0; !this.#over.signal.aborted; round++) {
      const from = this.#appended[writer] ?? 0;
      const count = 1 + Math.floor(drawn(`writer ${writer} size ${round}`) * 200);
      const body = ndjson(Array.from({ length: count }, (_, i) => ({ ...noteIn(stream, from + i), stream })));
      const headers = { 'content-type': 'application/x-ndjson' };
      const answer = await (await fetch(`${this.#url}events`, { method: 'POST', headers, body })).text();
      if (!answer.includes(`"summary":{"appended":${count},"existed":0,"rejected":0`)) throw new Error(answer);
      this.#appended[writer] = from + count;
      await pause(drawn(`writer ${writer} pause ${round}`) * 40);
    }
  }

  /** The first event may be any; from then on there is no gap and no repeat. */
  async #follow(counts: number[]): Promise<void> {
    const { body } = await fetch(`${this.#url}live`, { signal: this.#left.signal });
    const events = body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    try {
      for await (const { data } of events ?? []) {
        const { stream, revision } = JSON.parse(data) as { stream: string; revision: number };
        const writer = Number(stream.at(-1));
        const due = counts[writer] ?? 0;
        if (due !== 0 && revision !== due) throw new Error(`${stream}@${revision} came, ${stream}@${due} was due`);
        counts[writer] = revision + 1;
      }
    } catch (fault) {
      if (!this.#left.signal.aborted) throw fault;
    }
  }

  async #ask(): Promise<void> {
    const { onMinute } = this.#options;
    const began = performance.now();
    let minutes = 0;
    // The first append creates the ledger.
    while (this.#total === 0 && !this.#over.signal.aborted) await pause(10);
    while (!this.#over.signal.aborted) {
      const answer = await fetch(`${this.#url}sql?query=SELECT count(*) FROM events`);
      if (answer.status !== 200) throw new Error(await answer.text());
      await answer.arrayBuffer();
      this.#queries++;
      const metrics = await (await fetch(`${this.#url}metrics`)).text();
      const megabytes = Number(/^process_resident_memory_bytes (\d+)/m.exec(metrics)?.[1]) / 2 ** 20;
      this.#memory.push(megabytes);
      if (performance.now() - began > (minutes + 1) * 60_000) onMinute?.(++minutes, this.#total, Math.round(megabytes));
      await pause(200);
    }
  }

  async #allReceived(): Promise<void> {
    const due = JSON.stringify(this.#received.map(() => this.#appended));
    for (let waited = 0; waited < 600; waited++) {
      if (JSON.stringify(this.#received) === due) return;
      await pause(100);
    }
    this.#faults.push(`followers received ${JSON.stringify(this.#received)} of ${JSON.stringify(this.#appended)}`);
  }

  async #allInTables(): Promise<void> {
    const answer = await (await fetch(`${this.#url}sql?query=SELECT count(*) AS n FROM events`)).json();
    const { rows } = answer as { rows?: readonly { n: number }[] };
    if (rows?.[0]?.n !== this.#total) throw new Error(`${JSON.stringify(answer)}, ${this.#total} were appended`);
  }
}

/** Without the start, in which modules and caches are loaded. */
function highestByHalf(memory: readonly number[]): readonly [earlier: number, later: number] {
  const steady = memory.slice(Math.floor(memory.length / 4));
  const half = Math.floor(steady.length / 2);
  return [Math.max(...steady.slice(0, half)), Math.max(...steady.slice(half))];
}

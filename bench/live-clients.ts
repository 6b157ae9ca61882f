// Clients of the live feed in a process of their own, which measures its own cost: `node bench/live-clients.ts URL CLIENTS TIMED`. Says when
// all are connected, how many events have arrived when it is asked, and everything at the end.
import { request } from 'node:http';

export interface Arrived {
  readonly received: number;
  /** Of every event of the timed clients, in milliseconds. */
  readonly delays: readonly number[];
  /** Of this process since all were connected. */
  readonly cpuMs: number;
}

/** Begins the third line of every event. */
const mark = Buffer.from('\ndata: ');

const [url = '', clients = '', timedClients = ''] = process.argv.slice(2);
const stop = new AbortController();
const delays: number[] = [];
let received = 0;

/** The moment at which an event was sent, as its sender wrote it. */
const sentAt = /"milliseconds":([\d.]+)/g;

function timed(chunk: Buffer): void {
  const now = performance.timeOrigin + performance.now();
  for (const [, at] of chunk.toString('latin1').matchAll(sentAt)) delays.push(now - Number(at));
}

/** Counts events in pieces that end anywhere. */
class Counter {
  #rest: Buffer = Buffer.alloc(0);

  take(chunk: Buffer): void {
    const bytes = Buffer.concat([this.#rest, chunk]);
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + mark.length)) received++;
    this.#rest = bytes.subarray(-(mark.length - 1));
  }
}

function listen(client: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { signal: stop.signal, headers: { accept: 'text/event-stream' } }, (answer) => {
      const counter = new Counter();
      answer.on('data', (chunk: Buffer) => {
        counter.take(chunk);
        if (client < Number(timedClients)) timed(chunk);
      });
      answer.on('error', () => {});
      resolve();
    });
    asked.on('error', (fault) => (stop.signal.aborted ? undefined : reject(fault)));
    asked.end();
  });
}

await Promise.all(Array.from({ length: Number(clients) }, (_, client) => listen(client)));
const before = process.cpuUsage();
process.send?.('connected');
process.on('message', (asked: 'received' | 'leave') => {
  if (asked === 'received') return void process.send?.(received);
  stop.abort();
  const { user, system } = process.cpuUsage(before);
  const arrived: Arrived = { received, delays, cpuMs: (user + system) / 1000 };
  process.send?.(arrived, () => process.disconnect?.());
});

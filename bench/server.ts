// The server beside what it is made of: events sent to it beside the ledger's own append, a query over HTTP beside the same query of the
// library, the time from an append to 50 clients of the live feed, and commands that a server answers beside those that it does not.
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { NewEventOf } from '../schemas/catalogue.ts';
import { openWorkspace } from '../src/index.ts';
import { openLedger } from '../src/ledger/open.ts';
import { inFolder } from './folder.ts';
import type { Arrived } from './live-clients.ts';
import { type Done, median, sideBySide, timed } from './measure.ts';
import { type Line, type Report, rateLine, ratioLine } from './report.ts';
import { rollout, rollouts, stream } from './rollouts.ts';

const program = fileURLToPath(new URL('../bin/icecore.cjs', import.meta.url));
const rounds = 5;
const perRound = 40_000;
const batch = 1000;
const clients = 50;
/** Clients whose every event is timed; of the others, events are counted. */
const timedClients = 10;
const perSecond = 2_000;
const liveSeconds = 10;
const queries = 60;

export function serverBench(): Promise<Report[]> {
  return inFolder(async (folder) => {
    // Without a workspace, a server has no socket for commands.
    const env = { ...process.env, XDG_CONFIG_HOME: join(folder, 'user') };
    execFileSync(process.execPath, [program, 'init'], { cwd: folder, env, stdio: 'ignore' });
    const server = await serving(folder);
    try {
      return [
        await ingestReport(server.url, folder),
        await sqlReport(server.url, folder),
        await liveReport(server),
        await commandReport(server, folder),
      ];
    } finally {
      await server.stop();
    }
  });
}

export interface Serving {
  readonly url: string;
  /** The processor time of the server until now. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

/** `icecore serve` in a folder, on a free port. */
export async function serving(cwd: string, ...options: readonly string[]): Promise<Serving> {
  const server: ChildProcess = spawn(
    process.execPath,
    [program, 'serve', '--port', '0', '--json', '--quiet', ...options],
    {
      cwd,
      env: { ...process.env, XDG_CONFIG_HOME: join(cwd, 'user') },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  if (server.stdout === null) throw new Error('the server has no output');
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return {
    url,
    cpuMs: async () => {
      const metrics = await (await fetch(`${url}metrics`)).text();
      return Number(/^process_cpu_seconds_total (\S+)/m.exec(metrics)?.[1]) * 1000;
    },
    stop: async () => {
      server.kill();
      if (server.exitCode === null) await once(server, 'exit');
    },
  };
}

async function ingestReport(url: string, folder: string): Promise<Report> {
  const ledger = await openLedger(`sqlite:${join(folder, 'beside.db')}`, { create: true });
  const append = (round: number): Promise<Done> => {
    const events = rollouts(round * perRound, perRound);
    return timed(async () => {
      for (let i = 0; i < perRound; i += batch)
        await ledger.append(stream, events.slice(i, i + batch), { expect: 'any' });
      return perRound;
    });
  };
  const send = (round: number): Promise<Done> => {
    const bodies = Buffer.from(
      rollouts(round * perRound, perRound)
        .map(sent)
        .join(''),
    );
    return timed(async () => {
      const answer = await fetch(`${url}events`, { method: 'POST', headers: lines, body: bodies });
      const last = (await answer.text()).trim().split('\n').at(-1) ?? '';
      const { summary } = JSON.parse(last) as { summary?: { appended: number } };
      if (summary?.appended !== perRound) throw new Error(`the server answered ${last}`);
      return perRound;
    });
  };
  const [own, http] = await sideBySide(
    [
      { name: "the ledger's own append", run: append },
      { name: 'POST /events', run: send },
    ],
    rounds,
  );
  await ledger.close();
  if (own === undefined || http === undefined) throw new Error('nothing was measured');
  return {
    title: `appending through the server, NDJSON of ${perRound.toLocaleString('en')} rollouts`,
    lines: [
      rateLine("the ledger's own append, in batches", own.perSecond),
      rateLine('POST /events', http.perSecond),
      ratioLine('of the rate of the own append, in the same round', http.ratio, 0.5),
    ],
    data: { own: own.perSecond, http: http.perSecond, ratio: http.ratio },
  };
}

const lines = { 'content-type': 'application/x-ndjson' };

/** One line; the stream is what the ledger's own append names beside the event. */
function sent(event: NewEventOf<'RolloutRecorded'>): string {
  return `${JSON.stringify({ ...event, stream })}\n`;
}

async function sqlReport(url: string, folder: string): Promise<Report> {
  // The same rollouts in a ledger of its own: both would wait for each other at the same tables.
  const workspace = await openWorkspace({ cwd: folder, ledger: `sqlite:${join(folder, 'beside.db')}` });
  const query = 'SELECT split, count(*) AS rollouts FROM rollouts GROUP BY split';
  const own: number[] = [];
  const http: number[] = [];
  for (let round = -5; round < queries; round++) {
    const byLibrary = await millisecondsOf(() => workspace.sql(query));
    const byHttp = await millisecondsOf(async () => {
      const answer = await fetch(`${url}sql`, {
        method: 'POST',
        headers: { 'content-type': 'application/sql' },
        body: query,
      });
      if (!answer.ok) throw new Error(await answer.text());
      await answer.json();
    });
    if (round < 0) continue;
    own.push(byLibrary);
    http.push(byHttp);
  }
  await workspace.close();
  const added = median(http.map((ms, round) => ms - (own[round] ?? Number.NaN)));
  return {
    title: 'a query over HTTP',
    lines: [
      plain('by the library', ms(median(own))),
      plain('by POST /sql', ms(median(http))),
      { what: 'added', value: ms(added), target: 'under 10 ms', met: added < 10 },
    ],
    data: { own: median(own), http: median(http), added },
  };
}

/** Every event carries the moment at which it was sent. The clients are in a process of their own. */
async function liveReport({ url, cpuMs }: Serving): Promise<Report> {
  const program = fileURLToPath(new URL('./live-clients.ts', import.meta.url));
  const child = fork(program, [`${url}live?type=RolloutRecorded`, String(clients), String(timedClients)]);
  await once(child, 'message');
  const cpuBefore = await cpuMs();
  const perBeat = perSecond / 50;
  const begun = performance.now();
  let number = 10_000_000;
  const posts: Promise<unknown>[] = [];
  for (let beat = 0; beat < liveSeconds * 50; beat++) {
    const body = Array.from({ length: perBeat }, () => {
      const event = rollout(number++);
      const milliseconds = performance.timeOrigin + performance.now();
      return sent({ ...event, data: { ...event.data, metrics: { milliseconds } } });
    }).join('');
    posts.push(fetch(`${url}events`, { method: 'POST', headers: lines, body }).then((answer) => answer.text()));
    await pause(Math.max(0, begun + (beat + 1) * 20 - performance.now()));
  }
  await Promise.all(posts);
  const all = perSecond * liveSeconds * clients;
  for (let waited = 0; waited < 200 && (await askFor<number>(child, 'received')) < all; waited++) await pause(50);
  const cpu = (await cpuMs()) - cpuBefore;
  const { received, delays, cpuMs: ofClients } = await askFor<Arrived>(child, 'leave');
  const p99 = quantile(delays, 0.99);
  return {
    title: `${perSecond.toLocaleString('en')} live events/s to ${clients} clients`,
    lines: [
      plain('median delay', ms(median(delays))),
      { what: '99th percentile', value: ms(p99), target: 'under 250 ms', met: p99 < 250 },
      { what: 'events that arrived', value: `${received} of ${all}`, target: 'all', met: received === all },
      plain('processor time of the server', `${Math.round(cpu / liveSeconds)} ms a second`),
      plain('processor time of the clients', `${Math.round(ofClients / liveSeconds)} ms a second`),
    ],
    data: { median: median(delays), p99, received, all, cpu, ofClients },
  };
}

const grown = 10_000;
const commandRounds = 7;
const commandTargetMs = 200;

/** `icecore sql` as a process, right after events were recorded, with the server and without it. */
async function commandReport({ url }: Serving, folder: string): Promise<Report> {
  const env = { ...process.env, XDG_CONFIG_HOME: join(folder, 'user') };
  const ask = (...words: string[]): Promise<number> =>
    millisecondsOf(async () => {
      execFileSync(process.execPath, [program, 'sql', 'SELECT count(*) FROM rollouts', ...words], {
        ...{ cwd: folder, env, stdio: 'pipe' },
      });
    });
  let from = 20_000_000;
  const append = async (): Promise<void> => {
    const body = rollouts(from, grown).map(sent).join('');
    from += grown;
    await (await fetch(`${url}events`, { method: 'POST', headers: lines, body })).text();
  };
  // With other limits than the usual ones, a command answers by itself.
  const alone = ['--seconds', '61'];
  const times = { idle: [] as number[], idleAlone: [] as number[], served: [] as number[], unserved: [] as number[] };
  for (let round = -1; round < commandRounds; round++) {
    await append();
    const served = await ask();
    await append();
    const unserved = await ask(...alone);
    const [idle, idleAlone] = [await ask(), await ask(...alone)];
    if (round < 0) continue;
    times.idle.push(idle);
    times.idleAlone.push(idleAlone);
    times.served.push(served);
    times.unserved.push(unserved);
  }
  const answer = median(times.served);
  return {
    title: `icecore sql beside a server, ${grown.toLocaleString('en')} new rollouts`,
    lines: [
      plain('answered by the server, nothing new', ms(median(times.idle))),
      plain('answered by itself, nothing new', ms(median(times.idleAlone))),
      {
        what: 'answered by the server, right after them',
        value: ms(answer),
        target: `within ${commandTargetMs} ms`,
        met: answer <= commandTargetMs,
      },
      plain('answered by itself, right after them', ms(median(times.unserved))),
    ],
    data: times,
  };
}

async function askFor<Answer>(child: ChildProcess, message: 'received' | 'leave'): Promise<Answer> {
  child.send(message);
  const [answer] = (await once(child, 'message')) as [Answer];
  return answer;
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

function plain(what: string, value: string): Line {
  return { what, value, target: '', met: null };
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

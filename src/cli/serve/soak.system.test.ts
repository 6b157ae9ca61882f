// Appending, following and querying at the same time for a while: nothing is lost, every live client gets every event once and in
// order, and the memory of the server stays flat. ICECORE_TEST_SOAK_SECONDS makes it longer.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { expect, it, onTestFinished } from 'vitest';
import { noteIn } from '../../ledger/contract/samples.ts';
import { ndjson } from '../testing/events.ts';
import { bare, bin, temporaryFolder } from '../testing/harness.ts';

const seconds = Number(process.env['ICECORE_TEST_SOAK_SECONDS'] ?? 20);

it(`${seconds} s of appending, following and querying lose nothing and keep the memory flat`, async () => {
  const child = spawn(process.execPath, [bin, 'serve', '--port', '0', '--quiet'], {
    ...{ cwd: temporaryFolder(), env: bare() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const [url = ''] = /http:\/\/\S+/.exec(said.toString()) ?? [];
  const over = new AbortController();
  const gone = new AbortController();

  const appended = [0, 0, 0];
  const writers = appended.map(async (_, writer) => {
    const stream = `notes-writer${writer}`;
    while (!over.signal.aborted) {
      const from = appended[writer] ?? 0;
      const body = ndjson(Array.from({ length: 100 }, (_, i) => ({ ...noteIn(stream, from + i), stream })));
      const headers = { 'content-type': 'application/x-ndjson' };
      const answer = await (await fetch(`${url}events`, { method: 'POST', headers, body })).text();
      expect(answer).toContain('"summary":{"appended":100,"existed":0,"rejected":0');
      appended[writer] = from + 100;
      await pause(20);
    }
  });

  const received = Array.from({ length: 10 }, () => [0, 0, 0]);
  const clients = received.map(async (counts) => {
    const { body } = await fetch(`${url}live`, { signal: gone.signal });
    const events = body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    try {
      for await (const { data } of events ?? []) {
        const { stream, revision } = JSON.parse(data) as { stream: string; revision: number };
        const writer = Number(stream.at(-1));
        // The first event of a client may be any; from then on there is no gap and no repeat.
        if (counts[writer] !== 0) expect(revision).toBe(counts[writer]);
        counts[writer] = revision + 1;
      }
    } catch (fault) {
      if (!gone.signal.aborted) throw fault;
    }
  });

  const memory: number[] = [];
  const asking = (async () => {
    while (!over.signal.aborted) {
      expect((await fetch(`${url}sql?query=SELECT count(*) FROM events`)).status).toBe(200);
      const metrics = await (await fetch(`${url}metrics`)).text();
      memory.push(Number(/^process_resident_memory_bytes (\d+)/m.exec(metrics)?.[1]) / 2 ** 20);
      await pause(200);
    }
  })();

  setTimeout(() => over.abort(), seconds * 1000);
  await Promise.all([...writers, asking]);
  await expect.poll(() => received, { timeout: 30_000 }).toEqual(received.map(() => appended));
  gone.abort();
  await Promise.all(clients);
  const total = appended.reduce((sum, count) => sum + count, 0);
  const answer = await (await fetch(`${url}sql?query=SELECT count(*) AS n FROM events`)).json();
  expect(answer).toMatchObject({ rows: [{ n: total }] });
  // After the start, in which modules and caches are loaded, the later half is no larger than the earlier one.
  const steady = memory.slice(Math.floor(memory.length / 4));
  const half = Math.floor(steady.length / 2);
  expect(Math.max(...steady.slice(half)) - Math.max(...steady.slice(0, half))).toBeLessThan(100);
});

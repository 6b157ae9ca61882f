// The live feed: every event once and in order, from now on or from a cursor.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { wholeRun } from '../analysis/history/testing/recording.ts';
import { temporaryFolder } from '../base/testing/temporary-folder.ts';
import { placeWith } from '../cli/runs/testing/looking.ts';
import { ndjson, sentNote } from '../cli/testing/events.ts';
import { noteIn } from '../ledger/contract/samples.ts';
import { type Served, served } from './testing/served.ts';

interface Received {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly revision: number; readonly stream: string; readonly data: { readonly note: string } };
}

/** Reads events from the answer until there are this many. */
async function receive(answer: Response, count: number): Promise<Received[]> {
  const found: Received[] = [];
  let rest = '';
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  while (found.length < count) {
    const { value, done } = (await reader?.read()) ?? { value: '', done: true };
    if (done) throw new Error(`the feed ended after ${found.length} events`);
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
      if (fields['data'] === undefined) continue;
      found.push({ id: fields['id'], event: fields['event'], data: JSON.parse(fields['data']) });
    }
  }
  await reader?.cancel();
  return found;
}

async function append(server: Served, from: number, count: number): Promise<void> {
  const body = ndjson(Array.from({ length: count }, (_, i) => sentNote(from + i)));
  const answer = await server.request('/events', {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body,
  });
  expect(await answer.text()).toContain('"summary"');
}

const revisions = (received: readonly Received[]): number[] => received.map(({ data }) => data.revision);
const upTo = (count: number, from = 0): number[] => Array.from({ length: count }, (_, i) => from + i);

describe('the live feed', () => {
  it('sends events from now on, and those of a new ledger from the first', async () => {
    const server = await served(temporaryFolder());
    const live = await server.request('/live');
    await append(server, 0, 20);
    const received = await receive(live, 20);
    expect(revisions(received)).toEqual(upTo(20));
    const later = await server.request('/live');
    await append(server, 20, 5);
    expect(revisions(await receive(later, 5))).toEqual(upTo(5, 20));
  });

  it('continues after a cursor without gaps or duplicates during appends', async () => {
    const server = await served(temporaryFolder());
    await append(server, 0, 1_200);

    const page = (await server.json('/events?limit=100')) as { next: string };
    const live = await server.request('/live', { headers: { 'last-event-id': page.next } });
    const appending = (async () => {
      for (let at = 1_200; at < 2_000; at += 40) await append(server, at, 40);
    })();
    expect(revisions(await receive(live, 1_900))).toEqual(upTo(1_900, 100));
    await appending;
  });

  it('filters by run, type and stream', async () => {
    const { cwd } = await placeWith(wholeRun());
    const server = await served(cwd);
    const { run, name } = (await server.json('/runs/latest')) as { run: string; name: string };
    const ofRun = await server.request(`/live?run=${name}`);
    const ofType = await server.request('/live?type=RunAnnotated&stream=notes-alpha');
    const note = (stream: string, i: number) => ({ ...noteIn(stream, i), stream });
    const body = ndjson([note('notes-beta', 0), note('notes-alpha', 1), note(`notes-${run}`, 2)]);
    const headers = { 'content-type': 'application/x-ndjson' };
    await (await server.request('/events', { method: 'POST', headers, body })).text();
    expect((await receive(ofRun, 1)).map(({ data }) => data.stream)).toEqual([`notes-${run}`]);
    expect((await receive(ofType, 1)).map(({ data }) => data.stream)).toEqual(['notes-alpha']);
    const unknown = await server.request('/live?run=nobody');
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: { kind: 'not-found' } }]);
  });

  it('sends heartbeats, and ends when the server stops', async () => {
    const server = await served(temporaryFolder(), { limits: { heartbeatMs: 20 } });
    const live = await server.request('/live');
    const reader = live.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe('retry: 1000\n\n');
    expect((await reader?.read())?.value).toBe(': nothing new\n\n');
    server.drain();
    let done = false;
    while (!done) done = (await reader?.read())?.done ?? true;
  });

  it('has no clients between connections, and loses no events between them', async () => {
    const server = await served(temporaryFolder(), { limits: { liveIdleMs: 20 } });
    await append(server, 0, 3);
    const clients = async (): Promise<string> =>
      /^icecore_live_clients (\d+)$/m.exec(await (await server.request('/metrics')).text())?.[1] ?? '';
    const notes: string[] = [];
    let last = '';
    for (let round = 1; round <= 3; round++) {
      const live = await server.request(`/live${last === '' ? '' : `?after=${last}`}`);
      expect(await clients()).toBe('1');
      // The first client gets new events only; later ones also those appended while no client was connected.
      await append(server, 10 * round, 5);
      const received = await receive(live, round === 1 ? 5 : 10);
      notes.push(...received.map(({ data }) => data.data.note));
      last = received.at(-1)?.id ?? '';
      await expect.poll(clients).toBe('0');
      await pause(60);
      await append(server, 10 * round + 5, 5);
    }
    expect(notes).toEqual(upTo(25, 10).map((index) => `note ${index}`));
  });

  it('rejects a type or a stream that there is not, which would never send anything', async () => {
    const { cwd } = await placeWith(wholeRun());
    const server = await served(cwd);
    const says = async (query: string): Promise<unknown> => {
      const answer = await server.request(`/live?${query}`);
      return [answer.status, ((await answer.json()) as { error: { message: string } }).error.message];
    };
    expect(await says('type=StageCompleted&type=StageComplete')).toEqual([
      400,
      'type: there is no event type "StageComplete"',
    ]);
    expect(await says('stream=nowhere')).toEqual([400, 'stream: "nowhere" is not the name of a stream']);
    const unused = await served(temporaryFolder());
    expect((await unused.request('/live?type=StageCompleted')).status).toBe(200);
  });

  it('rejects an invalid cursor, without keeping the client', async () => {
    const server = await served(temporaryFolder());
    await append(server, 0, 1);
    const refused = await server.request('/live?after=nonsense');
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { kind: 'bad-input' } }]);
    expect(await (await server.request('/metrics')).text()).toMatch(/^icecore_live_clients 0$/m);
  });

  it('disconnects a client that does not read, and frees its slot', async () => {
    const limits = { heartbeatMs: 10, stallMs: 50, concurrent: { answer: 9, query: 9, ingest: 9, live: 1 } };
    const server = await served(temporaryFolder(), { limits });
    const live = await server.request('/live');
    const reader = live.body?.getReader();
    await reader?.read();
    await reader?.read();
    await expect.poll(async () => (await server.request('/live')).status, { timeout: 5_000 }).toBe(200);
    expect(server.log).toContainEqual({ level: 'warning', message: expect.stringContaining('does not read') });
  });
});

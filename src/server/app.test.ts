// Every endpoint responds as its declaration, and so the OpenAPI document, specifies.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { tableFromIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { wholeRun } from '../analysis/history/testing/recording.ts';
import { temporaryFolder } from '../base/testing/temporary-folder.ts';
import { placeWith, placeWithTables } from '../cli/runs/testing/looking.ts';
import { ndjson, sentNote } from '../cli/testing/events.ts';
import { rolloutIn } from '../ledger/contract/samples.ts';
import { endpoints } from './endpoints.ts';
import { type Served, served } from './testing/served.ts';

const json = { 'content-type': 'application/json' };
const lines = { 'content-type': 'application/x-ndjson' };

interface Example {
  readonly path: string;
  readonly init?: RequestInit;
}

/** A request for each endpoint, in a workspace with one run. */
async function examples(ask: (path: string) => Promise<Record<string, unknown>>): Promise<Record<string, Example>> {
  const [last] = z.array(z.object({ id: z.string() })).parse((await ask('/events?last=1'))['rows']);
  const event = last?.id ?? '';
  return {
    runs: { path: '/runs?limit=5&arms=true' },
    show: { path: '/runs/latest@2' },
    why: { path: '/runs/latest/why?detail=4' },
    audit: { path: '/runs/latest/audit' },
    rollouts: { path: '/runs/latest@1/rollouts?limit=2' },
    rollout: { path: `/rollouts/${'0'.repeat(8)}` },
    context: { path: '/runs/latest@2/context?context=stats' },
    report: { path: '/runs/latest/report' },
    diff: { path: '/diff?from=latest@2' },
    compare: { path: '/compare?run=latest@1&run=latest@2' },
    ablations: { path: '/ablations' },
    ablation: { path: '/ablations/latest' },
    next: { path: '/runs/latest/next' },
    adopt: { path: '/runs/latest/adopt', init: { method: 'POST', headers: json, body: '{"changes": {}}' } },
    ingest: { path: '/events', init: { method: 'POST', headers: json, body: JSON.stringify(sentNote(0)) } },
    events: { path: '/events?last=3&limit=2&type=RunStarted&type=StageStarted' },
    event: { path: `/events/${event}` },
    blob: { path: `/blobs/${'0'.repeat(64)}` },
    head: { path: '/head' },
    proof: { path: `/proofs/${event}` },
    sql: { path: `/sql?query=${encodeURIComponent('SELECT run, done FROM runs')}` },
    sqlPost: {
      path: '/sql?limit=1',
      init: { method: 'POST', headers: { 'content-type': 'application/sql' }, body: 'FROM stages' },
    },
    recipes: { path: '/recipes' },
    tables: { path: '/tables' },
    table: { path: '/tables/runs' },
    refresh: { path: '/tables/refresh?rebuild=false', init: { method: 'POST' } },
    engineers: { path: '/engineers' },
    contexts: { path: '/contexts' },
    environments: { path: '/environments' },
    live: { path: '/live?type=RunStarted' },
    healthz: { path: '/healthz' },
    readyz: { path: '/readyz' },
    metrics: { path: '/metrics' },
    openapi: { path: '/openapi.json' },
    index: { path: '/' },
  };
}

/** Errors for what this workspace does not have, or cannot do with a run of another program. */
const missing: Readonly<Record<string, readonly [status: number, kind: string]>> = {
  ablation: [404, 'not-found'],
  blob: [404, 'not-found'],
  rollout: [404, 'not-found'],
  adopt: [409, 'conflict'],
};

it('every endpoint responds as the OpenAPI document specifies', async () => {
  const { cwd } = await placeWithTables();
  const server = await served(cwd);
  const document = await server.json('/openapi.json');
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true, uuid: true } });
  ajv.addSchema(document, 'openapi');
  const asked = await examples(server.json);
  expect(Object.keys(asked).sort()).toEqual(endpoints.map(({ name }) => name).sort());
  for (const { name, path, method, answers } of endpoints) {
    const { path: url, init } = asked[name] ?? { path: '' };
    const answer = await server.request(url, init);
    const operation = `openapi#/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}/responses`;
    const [status, kind] = missing[name] ?? [];
    const media = answer.headers.get('content-type')?.split(';')[0] ?? '';
    if (name === 'live') {
      expect(media).toBe('text/event-stream');
      await answer.body?.cancel();
      continue;
    }
    const body = await answer.text();
    if (kind !== undefined) {
      const refers = `${operation}/default/content/application~1json/schema`;
      expect(JSON.parse(body), name).toMatchObject({ error: { kind } });
      expect([answer.status, ajv.validate(refers, JSON.parse(body))], name).toEqual([status, true]);
      continue;
    }
    expect([name, answer.status, media], body.slice(0, 500)).toEqual([name, 200, answers[0].media]);
    if (media !== 'application/json') continue;
    const isValid = ajv.validate(`${operation}/200/content/application~1json/schema`, JSON.parse(body));
    expect(isValid ? [] : ajv.errors, name).toEqual([]);
    expect(answers[0].schema?.safeParse(JSON.parse(body)).error, name).toBeUndefined();
  }
});

it('why, show, diff and audit respond with what the commands print with --json', async () => {
  const { cwd, look } = await placeWithTables();
  const server = await served(cwd);
  const asked = [
    ['/runs/latest/why?detail=4', ['why', '--detail', '4']],
    ['/runs/latest', ['show']],
    ['/diff?from=latest@2', ['diff', 'latest@2']],
    ['/runs/latest/audit', ['audit']],
  ] as const;
  for (const [path, words] of asked) {
    const printed = JSON.parse((await look(...words, '--json')).stdout) as object;
    expect({ ...(await server.json(path)), as_of: null, at: null }, path).toEqual({
      ...printed,
      as_of: null,
      at: null,
    });
  }
});

it('the recipes are queries that the server can run', async () => {
  const { cwd } = await placeWithTables();
  const server = await served(cwd);
  const { rows } = z
    .object({ rows: z.array(z.object({ name: z.string(), sql: z.string() })) })
    .parse(await server.json('/recipes'));
  expect(rows.map(({ name }) => name)).toContain('families-by-stage');
  const [{ sql = '' } = {}] = rows;
  const body = sql.replaceAll('RUN', 'quiet-otter').replaceAll('STAGE', '2');
  const answer = await server.request('/sql', { method: 'POST', headers: { 'content-type': 'application/sql' }, body });
  expect(answer.status).toBe(200);
});

describe('pages of rollouts', () => {
  async function withRollouts(): Promise<Served> {
    const { cwd } = await placeWithTables();
    const server = await served(cwd);
    const { run } = z.object({ run: z.string() }).parse(await server.json('/runs/latest'));
    const stream = `evidence-${run}-9-0-1`;
    const body = ndjson(Array.from({ length: 30 }, (_, i) => ({ ...rolloutIn(stream, i), stream })));
    await (await server.request('/events', { method: 'POST', headers: lines, body })).text();
    return server;
  }

  it('contain every rollout once, in order', async () => {
    const server = await withRollouts();
    const page = z.object({
      rows: z.array(z.object({ revision: z.number() })),
      total: z.number(),
      next: z.string().nullable(),
      truncated: z.boolean(),
    });
    const seen: number[] = [];
    let after = '';
    for (let pages = 1; pages <= 5; pages++) {
      const { rows, total, next, truncated } = page.parse(await server.json(`/runs/latest/rollouts?limit=7${after}`));
      expect([total, truncated]).toEqual([30, pages < 5]);
      seen.push(...rows.map(({ revision }) => revision));
      after = `&after=${next}`;
    }
    expect(seen).toEqual(Array.from({ length: 30 }, (_, i) => i));
    expect(after).toBe('&after=null');
  });

  it('link back to the previous pages', async () => {
    const server = await withRollouts();
    const page = z.object({
      rows: z.array(z.object({ revision: z.number() })),
      before: z.number().nullable(),
      previous: z.string().nullable(),
      next: z.string().nullable(),
    });
    const at = async (after: string | null): Promise<z.infer<typeof page>> =>
      page.parse(await server.json(`/runs/latest/rollouts?limit=7${after === null ? '' : `&after=${after}`}`));
    const first = await at(null);
    expect([first.before, first.previous]).toEqual([0, null]);
    const second = await at(first.next);
    expect([second.before, second.previous]).toEqual([7, null]);
    const third = await at(second.next);
    expect(third.before).toBe(14);
    expect(await at(third.previous)).toEqual(second);
    expect(await at(second.previous)).toEqual(first);
  });

  it('can be filtered, without SQL injection, and reject an invalid cursor', async () => {
    const server = await withRollouts();
    const { rows } = z
      .object({ rows: z.array(z.object({ family: z.string(), outcome: z.string() })) })
      .parse(await server.json('/runs/latest/rollouts?family=3&outcome=valid&split=probe'));
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ family, outcome }) => family === '3' && outcome === 'valid')).toBe(true);
    const injected = `/runs/latest/rollouts?family=${encodeURIComponent("x' OR 1=1 --")}`;
    expect(await server.json(injected)).toMatchObject({ total: 0, rows: [], next: null });
    const wrong = await server.request('/runs/latest/rollouts?after=nonsense');
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: { kind: 'usage', field: 'after' } }]);
  });
});

it('a query returns Arrow on request, and an error if it is wrong or writes', async () => {
  const { cwd } = await placeWithTables();
  const server = await served(cwd);
  const answer = await server.request('/sql?format=arrow&query=SELECT 42 AS n');
  expect(answer.headers.get('content-type')).toBe('application/vnd.apache.arrow.stream');
  expect(
    tableFromIPC(await answer.arrayBuffer())
      .toArray()
      .map((row) => row.toJSON()),
  ).toEqual([{ n: 42 }]);
  const wrong = await server.request('/sql?query=SELECT nothing FROM nowhere');
  expect([wrong.status, await wrong.json()]).toMatchObject([404, { error: { kind: 'not-found' } }]);
  const writing = await server.request("/sql?query=COPY runs TO 'stolen.csv'");
  expect(writing.status).toBeGreaterThanOrEqual(400);
});

describe('events', () => {
  it('are appended once, even if sent twice, also to a new workspace', async () => {
    const server = await served(temporaryFolder());
    const post = (body: string, headers: Record<string, string> = json) =>
      server.json('/events', { method: 'POST', headers, body });
    expect(await post(JSON.stringify(sentNote(0)))).toMatchObject({
      appended: 1,
      outcomes: [{ line: 1, outcome: 'appended' }],
    });
    const batch = JSON.stringify([sentNote(0), sentNote(1)]);
    expect(await post(batch)).toMatchObject({ appended: 1, existed: 1 });
    expect(await post(JSON.stringify(sentNote(0, 'another')))).toMatchObject({ error: { kind: 'conflict' } });
  });

  it('in a list are rejected together, in a stream one by one', async () => {
    const { cwd } = await placeWith(wholeRun());
    const server = await served(cwd);
    const list = [sentNote(0), { ...sentNote(1), data: {} }];
    const refused = await server.request('/events', { method: 'POST', headers: json, body: JSON.stringify(list) });
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { kind: 'bad-input', appended: 0 } }]);
    const body = ndjson([sentNote(0), { ...sentNote(1), data: {} }, sentNote(2)]);
    const streamed = await server.request('/events?outcomes=true', { method: 'POST', headers: lines, body });
    const answered = (await streamed.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    const schema = endpoints.find(({ name }) => name === 'ingest')?.answers[1]?.schema;
    for (const line of answered) expect(schema?.safeParse(line).error).toBeUndefined();
    expect(answered).toMatchObject([
      { line: 1, outcome: 'appended' },
      { line: 2, outcome: 'refused', error: { kind: 'bad-input' } },
      { line: 3, outcome: 'appended' },
      { stored: { appended: 2, existed: 0, rejected: 1 } },
      { summary: { appended: 2, existed: 0, rejected: 1 } },
    ]);
  });
});

describe('parameters', () => {
  it('are checked by name and value', async () => {
    const { cwd } = await placeWithTables();
    const server = await served(cwd);
    expect(await server.json('/runs?limt=3')).toMatchObject({ error: { kind: 'usage', field: 'limt' } });
    expect(await server.json('/runs?limit=0')).toMatchObject({ error: { kind: 'usage', field: 'limit' } });
    expect(await server.json('/runs?limit=2&limit=3')).toMatchObject({ error: { kind: 'usage', field: 'limit' } });
    const twice = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'FROM runs' };
    expect(await server.json('/sql?query=FROM stages', twice)).toMatchObject({
      error: { kind: 'usage', field: 'query' },
    });
    expect(await server.json('/runs/nobody')).toMatchObject({ error: { kind: 'not-found' } });
  });

  it('name the event of a list that is refused', async () => {
    const server = await served(temporaryFolder());
    const note = (id: string, text: unknown) => ({
      id: `11111111-1111-4111-8111-11111111111${id}`,
      ...{ type: 'RunAnnotated', actor: 'human/ada', run: 'mine', stream: 'notes-mine', data: { note: text } },
    });
    const append = async (events: readonly unknown[]) =>
      await server.json('/events', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(events),
      });
    expect(await append([note('1', 'a'), note('2', 3)])).toMatchObject({
      error: { element: 2, message: expect.stringMatching(/^line 1, event 2: data\.note: found 3/) },
    });
    expect(await append([note('1', 'a'), note('1', 'b')])).toMatchObject({
      error: {
        kind: 'conflict',
        message: expect.stringContaining('is also that of line 1, event 1, which differs in'),
      },
    });
  });

  it('of an unknown path or method are ignored, and preflight requests are refused', async () => {
    const server = await served(temporaryFolder());
    expect((await server.request('/nothing')).status).toBe(404);
    const wrong = await server.request('/runs', { method: 'DELETE' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET']);
    const preflight = await server.request('/events', {
      method: 'OPTIONS',
      headers: { origin: 'http://evil.example' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });
});

it('a server without a ledger is ready, and responds with not-found', async () => {
  const server = await served(temporaryFolder());
  expect((await server.request('/readyz')).status).toBe(200);
  const missing = await server.request('/runs');
  expect([missing.status, await missing.json()]).toMatchObject([404, { error: { kind: 'not-found' } }]);
});

it('a stopping server refuses new requests, and reports that it is stopping', async () => {
  const { cwd } = await placeWithTables();
  const server = await served(cwd);
  server.drain();
  expect(await server.json('/healthz')).toEqual({ status: 'stopping' });
  expect((await server.request('/readyz')).status).toBe(503);
  expect((await server.request('/runs')).status).toBe(503);
});

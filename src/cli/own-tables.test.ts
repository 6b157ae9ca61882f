// Tables that plugins make of their own events.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineEvent } from '../../schemas/define-event.ts';
import { temporaryFolder } from '../base/testing/temporary-folder.ts';
import { projectionContract } from '../library/contract/index.ts';
import { openWorkspace } from '../library/open.ts';
import { definePlugin, type Plugin } from '../library/plugins/plugin.ts';
import { BadProjection, defineProjection, rowOf } from '../library/plugins/projection.ts';
import { tableCatalogue } from '../projections/tables/catalogue.ts';
import { catalogueIn } from '../projections/tables/own.ts';
import { icecore, inFolder, json } from './testing/harness.ts';

const celsius = z.object({ gpu: z.int(), degrees: z.number() });
const throttled = defineEvent({
  ...{ type: 'acme.GpuThrottled', summary: 'A GPU became too hot.', in: ['x', 'notes'] },
  data: z.object({
    gpu: z.int().describe('which GPU, from 0'),
    celsius: z.number(),
    startedAt: z.iso.datetime({ offset: true }).optional(),
    why: z.object({ order: z.string(), parts: z.array(z.string()) }).nullish(),
  }),
  before: [{ data: celsius, upcast: ({ gpu, degrees }) => ({ gpu, celsius: degrees }) }],
});

const throttling = defineProjection({
  table: 'acme_throttling',
  summary: 'GPUs that became too hot',
  from: throttled,
  columns: {
    gpu: {},
    celsius: { from: ['celsius', 'degrees'], meaning: 'how hot it was' },
    order: { from: 'why.order' },
    parts: { from: 'why.parts' },
    started_at: { from: 'startedAt', meaning: 'when it began (UTC)' },
  },
});
const plain = { ...throttling, plugin: 'acme' };
const [gpu] = throttling.columns;
const acme = definePlugin({ name: 'acme', events: [throttled], projections: [throttling] });

projectionContract(throttling, throttled, [
  { gpu: 0, celsius: 91 },
  { gpu: 1, celsius: 92.5, startedAt: '2026-01-02T03:04:05Z', why: { order: 'first', parts: ['a'] } },
]);

function sent(data: object, version = 2) {
  return { type: 'acme.GpuThrottled', actor: 'producer/monitor', version, at: '2026-01-02T03:04:05Z', data };
}

const first = [
  sent({ gpu: 0, degrees: 91 }, 1),
  sent({ gpu: 1, celsius: 92.5, startedAt: '2026-01-02T03:04:05+01:00', why: { order: 'first', parts: ['a', 'b'] } }),
];

const question = 'SELECT gpu, celsius, "order", parts, started_at, version FROM acme_throttling ORDER BY gpu';

async function place(plugins: readonly Plugin[] = [acme]): Promise<string> {
  const cwd = temporaryFolder();
  await using workspace = await openWorkspace({ cwd, env: {}, plugins });
  await workspace.append('x-gpus', first);
  return cwd;
}

async function rowsIn(cwd: string, plugins: readonly Plugin[], sql = question) {
  const notes: string[] = [];
  await using workspace = await openWorkspace({
    ...{ cwd, env: {}, plugins },
    onNotice: (notice) => {
      if (notice.kind === 'note') notes.push(notice.text);
      if (notice.kind === 'tables' && notice.unknown.length > 0) notes.push('unknown events');
    },
  });
  return { rows: await workspace.sql(sql), notes };
}

describe('a table of a plugin', () => {
  it('has a row for each event, also of former versions, with typed and documented columns', async () => {
    const cwd = await place();
    expect((await rowsIn(cwd, [acme])).rows).toEqual([
      { gpu: 0, celsius: 91, order: null, parts: null, started_at: null, version: 1 },
      { gpu: 1, celsius: 92.5, order: 'first', parts: ['a', 'b'], started_at: '2026-01-02T02:04:05.000', version: 2 },
    ]);
    const listed = json(await icecore(['list', 'tables', 'acme_throttling', '--json'], { cwd, plugins: [acme] }));
    expect(listed['rows']).toMatchObject([
      {
        ...{ name: 'acme_throttling', meaning: 'GPUs that became too hot' },
        columns: [
          { name: 'run', type: 'VARCHAR', meaning: 'the run it belongs to; null for none' },
          { name: 'stage', type: 'BIGINT' },
          { name: 'gpu', type: 'BIGINT', meaning: 'which GPU, from 0' },
          { name: 'celsius', type: 'DOUBLE', meaning: 'how hot it was' },
          { name: 'order', type: 'VARCHAR', meaning: 'why.order of the event' },
          { name: 'parts', type: 'VARCHAR[]' },
          { name: 'started_at', type: 'TIMESTAMP' },
          ...['happened_at', 'actor', 'id', 'stream', 'revision', 'version', 'run_id'].map((name) => ({ name })),
        ],
      },
    ]);
  });

  it('returns rows with the types of its columns', async () => {
    await using workspace = await openWorkspace({ cwd: await place(), env: {}, plugins: [acme] });
    const [row] = await workspace.sql('FROM acme_throttling WHERE gpu = 1', { schema: rowOf(throttling) });
    const parts: readonly string[] | null | undefined = row?.parts;
    expect([row?.celsius, parts]).toEqual([92.5, ['a', 'b']]);
  });

  it('can be queried without the plugin as soon as events are appended', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, '.icecore'));
    const id = '5f0e4a52-6c1b-4b7e-9d0a-3c2b1a000000';
    const stdin = JSON.stringify({ ...sent({ gpu: 7, celsius: 93 }), id, stream: 'x-gpus' });
    expect(await icecore(['event', 'append'], { cwd, stdin, plugins: [acme] })).toMatchObject({ code: 0 });
    const rows = await icecore(['sql', '--format', 'csv', 'SELECT gpu FROM acme_throttling'], { cwd });
    expect(rows.stdout).toBe('gpu\n7\n');
  });

  it('of settings code can be queried without running that code', async () => {
    const cwd = temporaryFolder();
    const plugins = new URL('../library/plugins/index.ts', import.meta.url).href;
    const zod = import.meta.resolve('zod');
    const config = `import { defineEvent, definePlugin, defineProjection } from '${plugins}';
import { z } from '${zod}';
globalThis.ownTablesRuns = (globalThis.ownTablesRuns ?? 0) + 1;
const hot = defineEvent({ type: 'acme.Hot', summary: 'hot', data: z.object({ gpu: z.int() }) });
const table = defineProjection({ table: 'acme_hot', summary: 'hot ones', from: hot });
export default { plugins: [definePlugin({ name: 'acme', events: [hot], projections: [table] })] };`;
    writeFileSync(join(cwd, 'icecore.config.mjs'), config);
    mkdirSync(join(cwd, '.icecore'));
    const id = '5f0e4a52-6c1b-4b7e-9d0a-3c2b1a000000';
    const event = { id, stream: 'x-gpus', type: 'acme.Hot', actor: 'producer/monitor', data: { gpu: 7 } };
    const env = { ICECORE_TRUST: '*' };
    expect(await icecore(['event', 'append'], { cwd, env, stdin: JSON.stringify(event) })).toMatchObject({ code: 0 });
    const runs = (): unknown => (globalThis as { ownTablesRuns?: number }).ownTablesRuns;
    const before = runs();
    const sql = ['sql', '--format', 'csv', 'SELECT gpu FROM acme_hot'];
    expect((await icecore(sql, { cwd })).stdout).toBe('gpu\n7\n');
    expect(await icecore(['tables', 'refresh', '--rebuild'], { cwd })).toMatchObject({ code: 0 });
    expect((await icecore(sql, { cwd })).stdout).toBe('gpu\n7\n');
    expect([before, runs()]).toEqual([1, 1]);
    expect((await icecore(['list', 'tables'], { cwd, env })).stdout).toMatch(/acme_hot +acme +hot ones/);
  });

  it('is refreshed, listed, exported and rebuilt without the plugin', async () => {
    const cwd = await place();
    {
      await using workspace = await openWorkspace({ cwd, env: {}, plugins: [acme] });
      await workspace.append('x-gpus', [sent({ gpu: 2, celsius: 93 })]);
    }
    const ic = inFolder(cwd);
    const gpus = ['sql', '--format', 'csv', 'SELECT gpu FROM acme_throttling ORDER BY gpu'];
    expect(await rowsIn(cwd, [], 'SELECT gpu FROM acme_throttling ORDER BY gpu')).toEqual({
      rows: [{ gpu: 0 }, { gpu: 1 }, { gpu: 2 }],
      notes: [],
    });
    expect((await ic('list', 'tables')).stdout).toContain('acme_throttling');
    expect((await ic('__complete', '--', 'list', 'tables', 'acme_')).stdout).toContain('acme_throttling\tGPUs');
    expect(json(await ic('tables', 'refresh', '--rebuild', '--json'))).toMatchObject({ events: 3, unread: 0 });
    expect((await ic(...gpus)).stdout).toBe('gpu\n0\n1\n2\n');
    expect((await ic('verify', '--tables')).code).toBe(0);
    const exported = json(await ic('export', 'tables', '--output', 'out', '--format', 'ndjson', '--json'));
    expect(exported['tables']).toContainEqual(expect.objectContaining({ name: 'acme_throttling', rows: 3 }));
    expect(readFileSync(join(cwd, 'out', 'acme_throttling.ndjson'), 'utf8').split('\n')).toHaveLength(4);
  });

  it('is filled again when its definition changes, and dropped when its plugin drops it', async () => {
    const cwd = await place();
    await rowsIn(cwd, [acme]);
    const changed = defineProjection({ ...throttling, from: throttled, columns: { gpu: { type: 'VARCHAR' } } });
    const { rows, notes } = await rowsIn(
      cwd,
      [{ ...acme, projections: [changed] }],
      'SELECT gpu FROM acme_throttling ORDER BY 1',
    );
    expect(rows).toEqual([{ gpu: '0' }, { gpu: '1' }]);
    expect(notes).toEqual(['tables of plugins were filled: acme_throttling']);
    const gone = rowsIn(cwd, [{ name: 'acme', events: [throttled] }]);
    await expect(gone).rejects.toThrow('acme_throttling');
  });

  it.each([
    ['no JSON', '{'],
    ['another shape', '[]'],
    [
      'an invalid path',
      JSON.stringify({ format: 1, tables: [{ ...plain, columns: [{ ...gpu, from: ["/gpu' OR 1"] }, 7] }] }),
    ],
    ['SQL in a name', JSON.stringify({ format: 1, tables: [{ ...plain, columns: [{ ...gpu, name: 'gpu; DROP' }] }] })],
    ['the name of a table of icecore', JSON.stringify({ format: 1, tables: [{ ...plain, table: 'knob_changes' }] })],
  ])('is not read from a file that has %s', (_, text) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'own-tables.json'), text);
    expect(catalogueIn(folder).definitions).toEqual(tableCatalogue().definitions);
  });
});

describe('a table definition', () => {
  it('without columns has one for every field', () => {
    const { columns } = defineProjection({ table: 'acme_all', summary: 'all', from: throttled });
    expect(columns.map(({ name, type, from }) => [name, type, from])).toEqual([
      ['gpu', 'BIGINT', ['/gpu']],
      ['celsius', 'DOUBLE', ['/celsius']],
      ['started_at', 'TIMESTAMP', ['/startedAt']],
      ['why', 'JSON', ['/why']],
    ]);
  });

  it('derives column types from nullable fields', () => {
    const data = z.object({
      celsius: z.number().nullable(),
      gpu: z.int().nullable(),
      name: z.string().nullable(),
      hot: z.boolean().nullable(),
      at: z.iso.datetime().nullable(),
      fans: z.array(z.number().nullable()).nullable(),
      either: z.union([z.number(), z.string()]),
    });
    const from = defineEvent({ type: 'acme.Null', summary: 'null', data });
    const { columns } = defineProjection({ table: 'acme_null', summary: 'null', from });
    expect(columns.map(({ name, type }) => [name, type])).toEqual([
      ['celsius', 'DOUBLE'],
      ['gpu', 'BIGINT'],
      ['name', 'VARCHAR'],
      ['hot', 'BOOLEAN'],
      ['at', 'TIMESTAMP'],
      ['fans', 'DOUBLE[]'],
      ['either', 'JSON'],
    ]);
  });

  it('with an unknown field is refused', () => {
    const define = () =>
      defineProjection({
        ...{ table: 'acme_x', summary: 'x', from: throttled },
        // @ts-expect-error the data has no such field
        columns: { x: { from: 'gpus' } },
      });
    expect(define).toThrow(BadProjection);
    expect(define).toThrow('table "acme_x", columns.x.from: found "gpus", allowed: a field of the data: gpu, celsius');
  });
});

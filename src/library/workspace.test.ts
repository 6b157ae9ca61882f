import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineEvent } from '../../schemas/define-event.ts';
import { testbed } from '../../testbed/plugin.ts';
import { temporaryFolder } from '../base/testing/temporary-folder.ts';
import { LedgerMissing, WrongRevision } from '../ledger/errors.ts';
import { tinySettings } from '../producers/run/testing/tiny.ts';
import { openWorkspace, type WorkspaceOptions } from './open.ts';
import { definePlugin } from './plugins/index.ts';
import type { Notice } from './session.ts';
import type { EventToAppend } from './workspace.ts';

const throttled = defineEvent({
  type: 'acme.GpuThrottled',
  summary: 'A GPU ran slower than it can',
  data: z.strictObject({ gpu: z.int(), celsius: z.number() }),
});

function event(celsius: number): EventToAppend {
  return { type: 'acme.GpuThrottled', actor: 'producer/monitor', data: { gpu: 0, celsius } };
}

async function opened(options: WorkspaceOptions = {}) {
  const notices: Notice[] = [];
  const workspace = await openWorkspace({
    ...{ cwd: temporaryFolder(), env: {}, onNotice: (notice) => notices.push(notice) },
    plugins: [testbed, definePlugin({ name: 'acme', events: [throttled] })],
    ...options,
  });
  return { workspace, notices };
}

describe('a workspace', () => {
  it('is created by the first append, and answers SQL queries with rows typed by a schema', async () => {
    const cwd = temporaryFolder();
    const { workspace, notices } = await opened({ cwd });
    await using _ = workspace;
    expect(existsSync(join(cwd, '.icecore'))).toBe(false);
    const appended = await workspace.append('x-gpus', [event(91), event(93.5)]);
    expect(appended).toMatchObject({ revision: 1, existed: [false, false] });
    expect(notices).toContainEqual({ kind: 'workspace-created', path: join(cwd, '.icecore') });
    const schema = z.object({ type: z.string(), celsius: z.number() });
    const question = "SELECT type, CAST(data ->> 'celsius' AS DOUBLE) AS celsius FROM events ORDER BY celsius";
    const rows = await workspace.sql(question, { schema });
    expect(rows).toEqual([
      { type: 'acme.GpuThrottled', celsius: 91 },
      { type: 'acme.GpuThrottled', celsius: 93.5 },
    ]);
    const wrong = workspace.sql('SELECT type FROM events', { schema: z.object({ type: z.number() }) });
    await expect(wrong).rejects.toMatchObject({ name: 'UnexpectedRow', facts: { row: 1, field: 'type' } });
    expect(Buffer.from((await workspace.sqlArrow('SELECT 1 AS one')).subarray(0, 4)).toString('hex')).toBe('ffffffff');
    expect(await workspace.verify()).toMatchObject({ status: 'sound', events: 2 });
  });

  it('passes on errors of its ledger with their remedies', async () => {
    const { workspace } = await opened();
    await using _ = workspace;
    await expect(workspace.runs()).rejects.toBeInstanceOf(LedgerMissing);
    await workspace.append('x-gpus', [event(91)], { expect: 'none' });
    await expect(workspace.append('x-gpus', [event(91)], { expect: 'none' })).rejects.toBeInstanceOf(WrongRevision);
    await expect(workspace.sql('SELEC 1')).rejects.toMatchObject({ kind: 'bad-input' });
    expect(await workspace.runs()).toMatchObject({ total: 0, rows: [] });
    await expect(workspace.show('missing')).rejects.toMatchObject({ kind: 'not-found' });
    await expect(workspace.diff('mine')).rejects.toMatchObject({ kind: 'usage' });
  });

  it('delivers events as they are recorded until it is stopped', async () => {
    const { workspace } = await opened();
    await using _ = workspace;
    await workspace.append('x-gpus', [event(90)]);
    const stop = new AbortController();
    const seen: unknown[] = [];
    for await (const delivery of workspace.subscribe({ signal: stop.signal })) {
      if (delivery.kind === 'events') seen.push(...delivery.events.map(({ envelope }) => envelope.type));
      if (delivery.kind === 'caught-up' && seen.length === 1) await workspace.append('x-gpus', [event(95)]);
      if (seen.length === 2) stop.abort();
    }
    expect(seen).toEqual(['acme.GpuThrottled', 'acme.GpuThrottled']);
  });

  it('stops work with the signal of one call', async () => {
    const { workspace } = await opened();
    await using _ = workspace;
    await workspace.append('x-gpus', [event(90)]);
    const endless = 'SELECT count(*) FROM range(1000000000000) WHERE hash(range) = 1';
    await expect(workspace.sql(endless, { signal: AbortSignal.timeout(300) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    expect(await workspace.sql('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

it('a workspace runs an experiment, explains it, and exports it to another workspace', async () => {
  const cwd = temporaryFolder();
  const { workspace } = await opened({ cwd });
  await using _ = workspace;
  const stages: number[] = [];
  const made = await workspace.run({
    ...{ ...tinySettings(), name: 'mine', jobs: 1 },
    onProgress: (one) => {
      if (one.kind === 'decided' && one.decision.type === 'StageCompleted') stages.push(stages.length + 1);
    },
  });
  expect(made).toMatchObject({ name: 'mine', ended: 'completed', stages: 2 });
  expect(stages).toEqual([1, 2]);
  expect(await workspace.show('mine')).toMatchObject({ name: 'mine', state: 'completed' });
  expect(await workspace.show('mine@2')).toMatchObject({ stage: 2 });
  expect(await workspace.why('mine')).toMatchObject({ name: 'mine', stage: 2 });
  expect(await workspace.diff('mine@2')).toMatchObject({ from: { stage: 1 }, to: { stage: 2 } });
  expect((await workspace.context('mine@2')).text).toBeDefined();
  const [row] = await workspace.sql('SELECT count(*) AS stages FROM stages', {
    schema: z.object({ stages: z.number() }),
  });
  expect(row).toEqual({ stages: 2 });
  const { bundle } = await workspace.exportBundle('mine', { output: 'mine.tar.zst' });
  const { workspace: other } = await opened({ ledger: `sqlite:${join(cwd, 'other.db')}` });
  await using __ = other;
  expect(await other.importBundle(bundle ?? '')).toMatchObject({ run: { name: 'mine' }, lost: 0 });
  expect(await other.verify({ run: 'mine' })).toMatchObject({ status: 'sound' });
});

it('a workspace imports records of any training', async () => {
  const cwd = temporaryFolder();
  const { workspace } = await opened({ cwd });
  await using _ = workspace;
  const records = [1, 2].flatMap((stage) => [
    { name: 'mine', stage, config: { share: stage / 10 } },
    { name: 'mine', stage, ok: true },
  ]);
  writeFileSync(join(cwd, 'log.jsonl'), records.map((one) => JSON.stringify(one)).join('\n'));
  const map = { run: 'name', success: 'ok', split: { value: 'validation' } };
  expect(await workspace.importNdjson('log.jsonl', { map })).toMatchObject({ runs: [{ name: 'mine', rollouts: 2 }] });
  expect(await workspace.why('mine@2')).toMatchObject({ changes: [{ knob: 'share', from: 0.1, to: 0.2 }] });
  expect(await workspace.importNdjson('log.jsonl', { map })).toMatchObject({ added: 0 });
});

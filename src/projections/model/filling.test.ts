// Which runs a batch affects, and how invalid events are handled.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { canonicalJson } from '../../../schemas/canonical.ts';
import { versionOf } from '../../../schemas/catalogue.ts';
import { parseStream, streamOf } from '../../../schemas/streams.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import type { ReadOptions } from '../../ledger/ledger.ts';
import { StoredEvent } from '../../ledger/stored.ts';
import { rowsOf } from '../projector/layout.ts';
import { project } from '../projector/projector.ts';
import type { Source } from '../projector/source.ts';
import { reading, within } from '../warehouse/holding.ts';

/** Unchecked events in their order of arrival. */
class Unchecked implements Source {
  readonly id = 'unchecked';
  readonly all: StoredEvent[] = [];
  /** The streams that were read individually. */
  readonly reads: string[] = [];

  add(
    stream: string,
    type: 'RunStarted' | 'StageStarted' | 'ConfigAdopted' | 'RolloutRecorded',
    stage: number | null,
    data: object,
  ): void {
    const name = parseStream(stream);
    const run = name !== null && 'run' in name ? name.run : null;
    const revision = this.all.filter((event) => event.stream === stream).length;
    const id = crypto.randomUUID();
    const at = '2026-07-01T12:00:00Z';
    const of = { stream, revision, type, version: versionOf(type), at, actor: 'producer/run', run, stage };
    const body = canonicalJson({ id, ...of, causes: [], data });
    const cursor = String(this.all.length);
    this.all.push(new StoredEvent(stream, revision, type, id.replaceAll('-', ''), 0, sha256(body), body, cursor));
  }

  async *read(stream: string, { to = Infinity }: ReadOptions = {}): AsyncGenerator<readonly StoredEvent[]> {
    this.reads.push(stream);
    yield this.all.filter((event) => event.stream === stream && event.revision <= to);
  }

  async *readAll({ after, until }: Parameters<Source['readAll']>[0]): AsyncGenerator<readonly StoredEvent[]> {
    yield this.all.slice(Number(after ?? -1) + 1, Number(until ?? this.all.length) + 1);
  }
}

function tablesFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-filling-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'tables');
}

async function answers(path: string, sql: string): Promise<readonly unknown[][]> {
  const rows = await within(path, reading, {}, (connection) => rowsOf(connection, sql));
  return rows.map((row) => Object.values(row).map((value) => (typeof value === 'bigint' ? Number(value) : value)));
}

const start = (name: string, also: object = {}): object => ({ name, environment: { name: 'maze' }, ...also });

it('an event that violates its type is only in table events, and affects no other rows', async () => {
  const source = new Unchecked();
  const [one, other] = [streamOf.run('one000000000'), streamOf.run('other0000000')];
  source.add(one, 'RunStarted', null, start('one'));
  source.add(one, 'ConfigAdopted', 1, { by: 'human', changes: 'none' });
  source.add(one, 'StageStarted', 1, {});
  source.add(other, 'RunStarted', null, start('other'));
  const { path } = await project(source, tablesFolder());
  expect(await answers(path, 'SELECT run, stage FROM stages')).toEqual([['one', 1]]);
  expect(await answers(path, 'SELECT run FROM runs ORDER BY run')).toEqual([['one'], ['other']]);
  expect(await answers(path, 'SELECT * FROM decisions')).toEqual([]);
  expect(await answers(path, "SELECT count(*) FROM events WHERE type = 'ConfigAdopted'")).toEqual([[1]]);
});

it('a fork that arrives before its parent gets the shared stages when the parent arrives', async () => {
  const source = new Unchecked();
  const [parent, fork] = [streamOf.run('parent000000'), streamOf.run('fork00000000')];
  const origin = { run: 'parent000000', stage: 1, revision: 1, digest: 'd'.repeat(64) };
  source.add(fork, 'RunStarted', null, start('fork', { parent: origin }));
  source.add(fork, 'StageStarted', 2, {});
  const tables = tablesFolder();
  await project(source, tables);
  source.add(parent, 'RunStarted', null, start('parent'));
  source.add(parent, 'StageStarted', 1, {});
  source.add(parent, 'StageStarted', 2, {});
  const { path } = await project(source, tables);
  const lineage = 'SELECT run, stage, recorded_by FROM lineage ORDER BY ALL';
  expect(await answers(path, lineage)).toEqual([
    ['fork', 1, 'parent'],
    ['fork', 2, 'fork'],
    ['parent', 1, 'parent'],
    ['parent', 2, 'parent'],
  ]);
});

it('only runs with new events are read, and forks while their shared history arrives', async () => {
  const source = new Unchecked();
  const [parent, fork, third] = ['parent000000', 'fork00000000', 'third0000000'].map((run) => streamOf.run(run)) as [
    string,
    string,
    string,
  ];
  source.add(parent, 'RunStarted', null, start('parent'));
  source.add(parent, 'StageStarted', 1, {});
  const origin = { run: 'parent000000', stage: 1, revision: 1, digest: 'd'.repeat(64) };
  source.add(fork, 'RunStarted', null, start('fork', { parent: origin }));
  source.add(third, 'RunStarted', null, start('third'));
  const tables = tablesFolder();
  await project(source, tables);
  source.reads.length = 0;
  source.add(parent, 'StageStarted', 2, {});
  await project(source, tables);
  expect(source.reads).toEqual([parent]);
  source.reads.length = 0;
  const rollout = { environment: 'maze', split: 'probe', policy: 'neural', outcome: 'valid' };
  const evidence = streamOf.evidence('third0000000', 1, 0, 0);
  source.add(evidence, 'RolloutRecorded', 1, rollout);
  const { path } = await project(source, tables);
  source.add(evidence, 'RolloutRecorded', 1, rollout);
  await project(source, tables);
  expect(source.reads).toEqual([third]);
  expect(await answers(path, "SELECT stage, recorded_by FROM lineage WHERE run = 'third'")).toEqual([[1, 'third']]);
});

// The documentation and the package exports match the methods of the workspace, and its methods do what commands do.
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { lake, testbed } from '../../testbed/plugin.ts';
import { forEachIn } from '../base/in-order.ts';
import { temporaryFolder } from '../base/testing/temporary-folder.ts';
import * as samples from '../ledger/contract/samples.ts';
import type { LineOutcome } from './events/append.ts';
import type { EventsOptions } from './events/read.ts';
import { openWorkspace } from './open.ts';
import { Workspace } from './workspace.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

it('docs/library.md names every method and no other', () => {
  const methods = Object.getOwnPropertyNames(Workspace.prototype).filter((name) => name !== 'constructor');
  const [, table = ''] = read('../../docs/library.md').split('\n## Methods\n');
  const named = Array.from(table.matchAll(/`(\w+)\(/g), ([, name]) => name);
  expect(named.toSorted()).toEqual(methods.toSorted());
});

it('the package exports the option and result types of every method', () => {
  const inner = ['Intake', 'LedgerWriter', 'NewEvent', 'Session', 'SqlClient', 'SqlPool', 'adopt'];
  const imports = read('./workspace.ts').matchAll(/^import type \{([^}]*)\}/gm);
  const used = Array.from(imports, ([, names = '']) =>
    names.split(',').map((name) => name.trim().split(' as ')[0] ?? ''),
  )
    .flat()
    .filter((name) => name !== '' && !inner.includes(name));
  const exported = Array.from(read('../index.ts').matchAll(/\b\w+\b/g), ([word]) => word);
  expect(used.filter((name) => !exported.includes(name))).toEqual([]);
});

describe('a workspace', () => {
  const env = (cwd: string) => ({ XDG_CONFIG_HOME: join(cwd, 'user') });

  async function opened(): Promise<{ cwd: string; workspace: Workspace }> {
    const cwd = temporaryFolder();
    return { cwd, workspace: await openWorkspace({ cwd, env: env(cwd), plugins: [testbed] }) };
  }

  const lines = (...events: readonly unknown[]): Readable =>
    Readable.from([Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''))]);
  const note = (index: number): object => ({ ...samples.note(index), stream: samples.notesStream });

  it('is created, appends events from a stream, sets bad lines aside, and returns the events', async () => {
    const { cwd, workspace } = await opened();
    await using _ = workspace;
    expect(await workspace.init()).toMatchObject({ createdWorkspace: true, createdLedger: true, config: null });
    expect(await workspace.init()).toMatchObject({ createdWorkspace: false, createdLedger: false });
    await expect(workspace.appendFrom(lines(note(0), { broken: true }))).rejects.toMatchObject({ kind: 'bad-input' });
    const summary = await workspace.appendFrom(lines(note(0), { broken: true }, note(1)), { rejects: 'bad.ndjson' });
    expect(summary).toMatchObject({ appended: 2, existed: 0, rejected: 1, rejects: join(cwd, 'bad.ndjson') });
    expect(await workspace.appendFrom(lines(note(1)))).toMatchObject({ appended: 0, existed: 1 });
    const revisions = async (options: EventsOptions): Promise<number[]> => {
      const found: number[] = [];
      for await (const { revision } of workspace.events(options)) found.push(revision);
      return found;
    };
    expect(await revisions({})).toEqual([0, 1]);
    expect(await revisions({ last: 1, types: ['RunAnnotated'] })).toEqual([1]);
    await expect(revisions({ types: ['RunAnotated'] })).rejects.toMatchObject({ facts: { nearest: ['RunAnnotated'] } });
    const { event, texts } = await workspace.event(`${samples.notesStream}@1`, { texts: true });
    expect({ type: event.type, texts }).toEqual({ type: 'RunAnnotated', texts: [] });
  });

  it('verifies, proves and seals its content', async () => {
    const { workspace } = await opened();
    await using _ = workspace;
    await workspace.appendFrom(lines(note(0), note(1)));
    const head = await workspace.head();
    expect(head).toMatchObject({ events: 2 });
    const kept = { text: JSON.stringify(head) };
    expect(await workspace.verify({ head: kept })).toMatchObject({ status: 'sound', head: { root: head.root } });
    const proof = await workspace.prove(`${samples.notesStream}@0`, { head: kept });
    expect(proof.ledger.head).toEqual(head);
    await expect(workspace.prove(`${samples.notesStream}@0`, { head: { text: '{}' } })).rejects.toMatchObject({
      name: 'NoHead',
    });
    await expect(workspace.redact([`${samples.notesStream}@0`], { reason: 'a name' })).rejects.toMatchObject({
      name: 'CannotRedact',
    });
    await expect(workspace.seal('mine@1')).rejects.toMatchObject({ kind: 'not-found' });
  });

  it('stores bytes and returns them by their digest', async () => {
    const { workspace } = await opened();
    await using _ = workspace;
    const { blob, bytes, erased } = await workspace.putBlob(Readable.from([Buffer.from('a long text')]));
    expect({ bytes, erased }).toEqual({ bytes: 11, erased: null });
    const pieces: Uint8Array[] = [];
    for await (const piece of workspace.blob(blob)) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe('a long text');
  });

  it('rejects with the reason of a signal that is aborted already, and follows nothing', async () => {
    const { workspace } = await opened();
    await using _ = workspace;
    await workspace.init();
    const signal = AbortSignal.abort('the test');
    for (const call of [
      () => workspace.runs({ signal }),
      () => workspace.doctor({ signal }),
      () => workspace.run({ name: 'mine', environment: 'lake', signal }),
    ])
      await expect(call()).rejects.toBe('the test');
    for await (const _delivery of workspace.subscribe({ signal })) expect.unreachable();
  });

  it('stores a stream of text as the bytes it was read from', async () => {
    const { cwd, workspace } = await opened();
    await using _ = workspace;
    const file = join(cwd, 'text.txt');
    writeFileSync(file, 'Ein längerer Text\n');
    const { blob, bytes } = await workspace.putBlob(file);
    for (const stream of [
      createReadStream(file, 'utf8'),
      createReadStream(file, 'latin1'),
      Readable.from(['Ein längerer Text\n']),
    ])
      expect(await workspace.putBlob(stream)).toMatchObject({ blob, bytes });
    await expect(workspace.putBlob(Readable.from([1]))).rejects.toMatchObject({ kind: 'bad-input' });
    const line = JSON.stringify({ stream: samples.notesStream, ...samples.note(77) });
    expect(await workspace.appendFrom(Readable.from([`${line}\n`]))).toMatchObject({ appended: 1 });
  });

  it('refuses files that do not exist, and formats that it does not know', async () => {
    const { cwd, workspace } = await opened();
    await using _ = workspace;
    await workspace.init();
    const missing = join(cwd, 'missing', 'file');
    const calls = [
      () => workspace.putBlob(missing),
      () => workspace.appendFrom(missing),
      () => workspace.importBundle(missing),
      () => workspace.importNdjson(missing),
      () => workspace.sqlFile('SELECT 1', missing, { format: 'csv' }),
      () => workspace.exportEvents({ kind: 'file', to: missing }, 'ndjson'),
    ];
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({ kind: 'not-found', remedy: 'Check the path.' });
    const unknown = { format: 'xml' } as unknown as { format: 'ndjson' };
    await expect(workspace.exportTables({ output: join(cwd, 'o'), ...unknown })).rejects.toMatchObject({
      kind: 'usage',
    });
    const into = { kind: 'folder', to: join(cwd, 'o') } as const;
    await expect(workspace.exportEvents(into, 'arrow')).rejects.toMatchObject({ kind: 'usage' });
  });

  it('writes results to files, and refreshes tables until it is stopped', async () => {
    const { cwd, workspace } = await opened();
    await using _ = workspace;
    await workspace.appendFrom(lines(note(0)));
    expect(await workspace.sqlFile('SELECT 1 AS one', 'one.csv', { format: 'csv' })).toBe(1);
    expect(readFileSync(join(cwd, 'one.csv'), 'utf8')).toBe('one\n1\n');
    expect(await workspace.sqlFile('FROM range(3)', 'three.parquet', { format: 'parquet', limit: 2 })).toBe(2);
    expect(await workspace.copyTables()).toMatchObject({ events: 1, behind: 0 });
    const stop = new AbortController();
    const added: number[] = [];
    for await (const result of workspace.keepFresh({ signal: stop.signal })) {
      added.push(result.added);
      if (added.length === 2) stop.abort();
      else await workspace.appendFrom(lines(note(1)));
    }
    expect(added).toEqual([0, 1]);
  });

  it('evaluates policies, and trains one in a folder, without a ledger', async () => {
    const { cwd, workspace } = await opened();
    await using _ = workspace;
    const environment = await lake.open({ knobs: [] });
    const rates = await workspace.withPolicies(['optimal', 'random'], { environment }, (policies) =>
      Promise.all(
        policies.map(async (policy) => {
          const request = { suites: ['agents-2-wait-25-of-1'], greedy: true, seed: '1' } as const;
          const { results } = await forEachIn(policy.evaluate(environment, request), async () => {});
          return [
            policy.name,
            results.find(({ measure, family }) => measure === 'valid' && family === null)?.value,
          ] as const;
        }),
      ),
    );
    expect(rates).toEqual([
      ['optimal', 1],
      ['random', expect.any(Number)],
    ]);
    await expect(workspace.withPolicies(['optima'], { environment }, async () => {})).rejects.toMatchObject({
      facts: { nearest: ['optimal'] },
    });
    const configuration = environment.start;
    const request = { environment: 'lake', trainer: 'grpo', configuration, budget: { 'agent-steps': 500 }, seed: '1' };
    const training = await workspace.openTraining({ ...request, threads: 1 });
    expect(training).toMatchObject({ isBegun: false, folder: join(cwd, training.name) });
    expect(existsSync(training.folder)).toBe(false);
    const { checkpoint, from } = await forEachIn(training.train(), async () => {});
    await training.close();
    expect([existsSync(checkpoint?.reference ?? ''), from]).toEqual([true, null]);
    const again = await workspace.openTraining({ ...request, threads: 1 });
    expect(again.isBegun).toBe(true);
    await again.close();
    await expect(workspace.openTraining({ ...request, budget: { updates: 5 } })).rejects.toMatchObject({
      kind: 'usage',
    });
    expect(existsSync(join(cwd, '.icecore'))).toBe(false);
    expect(await workspace.ledgerFiles()).toEqual([join(cwd, '.icecore', 'ledger.db')]);
  });

  it('reports the outcome of each appended line, and what is stored', async () => {
    const { workspace } = await opened();
    await using _ = workspace;
    const outcomes: LineOutcome[] = [];
    const stored: number[] = [];
    const options = {
      skipRefused: true,
      onLine: (outcome: LineOutcome) => void outcomes.push(outcome),
      onStored: async ({ appended }: { appended: number }) => void stored.push(appended),
    };
    await workspace.appendFrom(lines(note(0)), options);
    const summary = await workspace.appendFrom(lines(note(0), { broken: true }, note(1)), options);
    expect(summary).toMatchObject({ appended: 1, existed: 1, rejected: 1 });
    expect(outcomes.toSorted((a, b) => a.line - b.line)).toMatchObject([
      { line: 1, outcome: 'appended' },
      { line: 1, outcome: 'existed' },
      { line: 2, outcome: 'refused', error: { kind: 'bad-input' } },
      { line: 3, outcome: 'appended' },
    ]);
    expect(stored.at(-1)).toBe(1);
  });

  it('lists what is registered, checks the installation, and remembers consents', async () => {
    const { cwd, workspace } = await opened();
    await using _ = workspace;
    const { rows: engineers } = await workspace.engineers();
    expect(engineers).toContainEqual(expect.objectContaining({ name: 'rules', from: 'icecore' }));
    expect((await workspace.environments()).rows).toMatchObject(
      ['lake', 'dungeon', 'catacomb'].map((name) => ({ name, from: 'testbed' })),
    );
    expect((await workspace.contexts()).rows).toContainEqual(expect.objectContaining({ name: 'combined' }));
    expect((await workspace.tables('runs')).rows).toMatchObject([{ name: 'runs', from: 'icecore' }]);
    await expect(workspace.tables('rusn')).rejects.toMatchObject({ facts: { nearest: ['runs'] } });
    const models = { gpt: { url: 'https://api.example.org/v1', model: 'm', key: 'HF_TOKEN' } };
    writeFileSync(join(cwd, 'icecore.config.json'), JSON.stringify({ models }));
    const requests = await workspace.trustRequests();
    expect(requests).toMatchObject([{ heading: join(cwd, 'icecore.config.json'), consents: [{ kind: 'config' }] }]);
    expect(await workspace.trust(requests)).toMatchObject({ action: 'trusted', total: 1 });
    expect(await workspace.trust({ host: 'api.example.org' })).toMatchObject({ rows: [{ kind: 'host' }] });
    expect(await workspace.trusted()).toMatchObject({ total: 2 });
    expect(await workspace.revokeTrust({ host: 'api.example.org' })).toMatchObject({ action: 'revoked', total: 1 });
    const { rows } = await workspace.doctor({ models: false });
    expect(rows).toContainEqual(expect.objectContaining({ name: 'settings', status: 'ok' }));
  });
});

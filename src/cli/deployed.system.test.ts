// A run as a deployment on many machines has it: decisions in EventStoreDB, evidence on a real broker, blobs by URL, an orchestrator that
// leaves the rollouts to workers, from its beginning to its copy back out of one file.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EventStorePrefixes, eventStorePrefixes } from '../ledger/contract/eventstore-fixture.ts';
import { type KafkaPrefixes, kafkaPrefixes } from '../ledger/contract/kafka-fixture.ts';
import { whyNoKafka } from '../ledger/kafka/testing/broker.ts';
import { hasPython, tiny } from './experiment/testing/place.ts';
import { inFolder, json, lines, temporaryFolder } from './testing/harness.ts';

const why = hasPython ? whyNoKafka() : 'Python 3.10 or later';

describe.skipIf(why !== null)(`a ledger in EventStoreDB and Kafka${why === null ? '' : `, left out: ${why}`}`, () => {
  let decisions: EventStorePrefixes | undefined;
  let evidence: KafkaPrefixes | undefined;
  beforeAll(async () => {
    decisions = await eventStorePrefixes();
    evidence = await kafkaPrefixes('partitions=2');
  });
  afterAll(async () => {
    await evidence?.dispose();
    await decisions?.dispose();
  });
  const url = (): string => `split:${decisions?.url()}+${evidence?.url()}`;

  it('records a run with two workers, is verified, queried and ablated, and is copied to a file and back', async () => {
    const cwd = temporaryFolder();
    const ledger = url();
    const env = { ICECORE_LEDGER: ledger, ICECORE_BLOBS: `folder:${join(cwd, 'blobs')}` };
    const orchestrator = inFolder(cwd, { env });
    writeFileSync(join(cwd, 'run.json'), JSON.stringify({ ...tiny, engineer: 'rules' }));
    const workers = ['one', 'two'].map((name) => {
      // As on another machine: nothing is beside it, and it has a mirror and an index of its own.
      const place = join(cwd, name);
      mkdirSync(place);
      return inFolder(place, { env: { ...env, ICECORE_CACHE: join(place, 'cache') } });
    });

    expect(await orchestrator('init')).toMatchObject({ code: 0 });
    const working = workers.map((ic) => ic('worker', 'wide', '--wait', '--programs', '--json'));
    const run = [
      'run',
      '--file',
      'run.json',
      '--programs',
      '--jobs',
      '1',
      '--name',
      'wide',
      '--shards',
      '4',
      '--workers-only',
    ];
    expect(await orchestrator(...run)).toMatchObject({ code: 0 });
    const worked = await Promise.all(working);
    for (const { code, stderr } of worked) expect(code, stderr).toBe(0);

    expect((await orchestrator('runs')).stdout).toMatch(/^wide .* 2\/2 .*completed$/m);
    expect(json(await orchestrator('verify', '--json'))).toMatchObject({ status: 'sound', attempts: 12 });
    expect((await orchestrator('why', 'wide@2', '--verbose')).stdout).toMatch(/rests on \d+ pieces of evidence/);
    const counted = await orchestrator(
      'sql',
      'select count(*) from rollouts where run_id is not null',
      '--format',
      'csv',
    );
    expect(Number(lines(counted.stdout)[1])).toBeGreaterThan(100);
    expect(await orchestrator('ablate', 'wide', '--json')).toMatchObject({ code: 0 });
    const report = json(await orchestrator('doctor', '--json', '--no-models')) as { rows: { status: string }[] };
    expect(report.rows.filter(({ status }) => status === 'failed')).toEqual([]);

    const there = json(await orchestrator('ledger', 'copy', ledger, 'sqlite:flat.db', '--json'));
    const elsewhere = url();
    const back = json(await orchestrator('ledger', 'copy', 'sqlite:flat.db', elsewhere, '--json'));
    expect(back).toMatchObject({ events: there['events'], root: there['root'], lost: 0 });
    const again = json(await orchestrator('ledger', 'copy', elsewhere, 'sqlite:again.db', '--json'));
    expect(again).toMatchObject({ events: there['events'], root: there['root'], lost: 0 });
    expect(json(await orchestrator('ledger', 'copy', elsewhere, ledger, '--json'))).toMatchObject({ copied: 0 });
  });
});

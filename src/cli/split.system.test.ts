// A run whose decisions are in a file and whose evidence is on a real broker, from its beginning to its copy back into one file.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KafkaPrefixes, kafkaPrefixes } from '../ledger/contract/kafka-fixture.ts';
import { whyNoKafka } from '../ledger/kafka/testing/broker.ts';
import { hasPython, tiny } from './experiment/testing/place.ts';
import { inFolder, json, lines, temporaryFolder } from './testing/harness.ts';

const why = hasPython ? whyNoKafka() : 'Python 3.10 or later';

describe.skipIf(why !== null)(`a ledger in SQLite and Kafka${why === null ? '' : `, left out: ${why}`}`, () => {
  let kafka: KafkaPrefixes | undefined;
  beforeAll(async () => {
    kafka = await kafkaPrefixes('partitions=2');
  });
  afterAll(async () => await kafka?.dispose());

  it('records a run, is verified, queried and ablated, and is copied to a file and back with equal digests', async () => {
    const cwd = temporaryFolder();
    const ic = inFolder(cwd);
    const [evidence, elsewhere] = [kafka?.url() ?? '', kafka?.url() ?? ''];
    writeFileSync(
      join(cwd, 'icecore.config.json'),
      JSON.stringify({ ledger: { decisions: 'sqlite:ledger.db', evidence } }),
    );
    writeFileSync(join(cwd, 'run.json'), JSON.stringify({ ...tiny, engineer: 'rules' }));

    expect(await ic('run', '--file', 'run.json', '--programs', '--jobs', '1', '--name', 'parted')).toMatchObject({
      code: 0,
    });
    expect((await ic('runs')).stdout).toMatch(/^parted .* 2\/2 .*completed$/m);
    expect(json(await ic('verify', '--json'))).toMatchObject({ status: 'sound', attempts: 6 });
    expect((await ic('why', 'parted@2', '--verbose')).stdout).toMatch(/rests on \d+ pieces of evidence/);
    const counted = await ic('sql', 'select count(*) from rollouts where run_id is not null', '--format', 'csv');
    expect(Number(lines(counted.stdout)[1])).toBeGreaterThan(100);
    expect(existsSync(join(cwd, 'ledger.tables'))).toBe(true);
    expect(await ic('ablate', 'parted', '--json')).toMatchObject({ code: 0 });
    const report = json(await ic('doctor', '--json', '--no-models')) as { rows: { status: string }[] };
    expect(report.rows.filter(({ status }) => status === 'failed')).toEqual([]);

    const split = `split:sqlite:ledger.db+${evidence}`;
    const there = json(await ic('ledger', 'copy', split, 'sqlite:flat.db', '--json'));
    const back = json(await ic('ledger', 'copy', 'sqlite:flat.db', `split:sqlite:back.db+${elsewhere}`, '--json'));
    expect(back).toMatchObject({ events: there['events'], root: there['root'], lost: 0 });
    expect(json(await ic('verify', '--json', '--ledger', `split:sqlite:back.db+${elsewhere}`))).toMatchObject({
      status: 'sound',
      events: there['events'],
    });
    expect(json(await ic('ledger', 'copy', `split:sqlite:back.db+${elsewhere}`, split, '--json'))).toMatchObject({
      copied: 0,
    });
  });
});

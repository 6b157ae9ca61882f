// `icecore project --group` and `icecore sql --group` on a real broker.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fixture } from '../../ledger/contract/fixture.ts';
import { kafkaFixture } from '../../ledger/contract/kafka-fixture.ts';
import { whyNoKafka } from '../../ledger/kafka/testing/broker.ts';
import { openLedger } from '../../ledger/open.ts';
import { writeRollouts, writeVaried } from '../../projections/testing/varied.ts';
import { icecore, inFolder, json, lines, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

const why = whyNoKafka();

describe.skipIf(why !== null)(`tables of a group${why === null ? '' : `, left out: ${why}`}`, () => {
  let fixture: Fixture;
  let url: string;

  beforeAll(async () => {
    fixture = await kafkaFixture('partitions=1');
    url = await fixture.fresh();
  });
  afterAll(async () => {
    await fixture?.dispose();
  });

  async function recorded(write: (ledger: Awaited<ReturnType<typeof openLedger>>) => Promise<void>): Promise<number> {
    const ledger = await openLedger(url, {});
    await write(ledger);
    const { events } = await ledger.head();
    await ledger.close();
    return events;
  }

  it('are filled, told of shard by shard, and asked', async () => {
    const look = inFolder(temporaryFolder(), { env: { ICECORE_LEDGER: url } });
    const events = await recorded((ledger) => writeVaried(ledger));

    const early = await look('sql', '--group', 'lab', 'FROM runs');
    expect(early).toMatchObject({ code: 1, stdout: '' });
    expect(early.stderr).toContain('decisions, evidence-0 are not filled');
    expect(early.stderr).toContain('icecore project --group lab');

    const filled = await look('project', '--group', 'lab', '--json');
    const told = lines(filled.stdout).map((line) => JSON.parse(line) as { shard: string; added: number });
    for (const one of told) expect(faultsAgainst('project-group', one)).toEqual([]);
    expect(told.map(({ shard }) => shard).sort()).toEqual(['decisions', 'evidence-0']);
    expect(told.reduce((sum, { added }) => sum + added, 0)).toBe(events);

    const question = 'SELECT count(*)::INTEGER AS events FROM events';
    expect(json(await look('sql', '--group', 'lab', '--json', question))).toMatchObject({ rows: [{ events }] });

    await recorded((ledger) => writeRollouts(ledger, 500, 7));
    const behind = await look('sql', '--group', 'lab', '--format', 'csv', question);
    expect(behind.stdout).toBe(`events\n${events}\n`);
    expect(behind.stderr).toContain('and not the 7 recorded since: icecore project --group lab adds them');

    const again = await look('project', '--group', 'lab');
    expect(again.stdout).toMatch(/^evidence-0: 7 events added, /m);
    expect(again.stdout).toMatch(/^decisions: 0 events added, /m);
    expect((await look('sql', '--group', 'lab', '--format', 'csv', question)).stdout).toBe(`events\n${events + 7}\n`);
  });

  it('are filled by who stays as they are recorded, until it is stopped', async () => {
    const stop = new AbortController();
    const told: { shard: string; added: number }[] = [];
    const { code } = await icecore(['project', '--group', 'stays', '--follow', '--json'], {
      cwd: temporaryFolder(),
      env: { ICECORE_LEDGER: url },
      signal: stop.signal,
      onOutput: (text) => {
        told.push(...lines(text).map((line) => JSON.parse(line) as { shard: string; added: number }));
        if (told.length === 2) void recorded((ledger) => writeRollouts(ledger, 600, 5));
        if (told.length > 2) stop.abort('SIGINT');
      },
    });
    expect(code).toBe(130);
    expect(told[2]).toMatchObject({ shard: 'evidence-0', added: 5 });
  });

  it('have a name that can be that of a folder, and are not made anew in one go', async () => {
    const look = inFolder(temporaryFolder(), { env: { ICECORE_LEDGER: url } });
    for (const group of ['..', 'a/b', 'Lab', ''])
      expect(await look('project', '--group', group)).toMatchObject({ code: 2, stdout: '' });
    expect((await look('project', '--group', 'lab', '--rebuild')).code).toBe(2);
    expect((await look('sql', '--group', 'lab', '--path')).code).toBe(2);
  });
});

describe('tables of a group of a ledger in a file', () => {
  it('cannot be filled', async () => {
    const look = inFolder(temporaryFolder());
    await look('init');
    const refused = await look('project', '--group', 'lab');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('cannot be shared between the members of a group');
  });
});

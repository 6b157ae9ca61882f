// Tables that the members of a group fill together, on a real broker: they are those of one file, whoever fills what.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fixture } from '../../ledger/contract/fixture.ts';
import { kafkaFixture } from '../../ledger/contract/kafka-fixture.ts';
import { whyNoKafka } from '../../ledger/kafka/testing/broker.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { type Digests, tableDigests } from '../digests.ts';
import { project } from '../projector/projector.ts';
import { randomHistory, writeWorld } from '../testing/random-history.ts';
import { digestsOfGroup, fillAll, ofPeople, rebalanced } from '../testing/rebalanced.ts';
import { writeRollouts, writeVaried } from '../testing/varied.ts';
import { withQuestionsOfGroup } from './asking.ts';
import { fillShards } from './filling.ts';
import { groupFolder } from './place.ts';

const why = whyNoKafka();
const limits = { memoryMegabytes: 512, seconds: 60 };

describe.skipIf(why !== null)(`tables of a group${why === null ? '' : `, left out: ${why}`}`, () => {
  let fixture: Fixture;
  let ledger: Ledger;
  let expected: Digests;
  const folder = mkdtempSync(join(tmpdir(), 'icecore-shards-test-'));

  beforeAll(async () => {
    fixture = await kafkaFixture('partitions=2');
    ledger = await fixture.open(await fixture.fresh());
    await writeHistory(ledger);
    expected = ofPeople(await tableDigests((await project(ledger, join(folder, 'whole'))).path));
  });
  afterAll(async () => {
    await ledger?.close();
    await fixture?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Fills what it is given, and leaves. */
  async function member(group: string, kafkaGroup = group): Promise<readonly string[]> {
    const own = await openLedger(ledger.url, { readOnly: true });
    const shards: string[] = [];
    const options = { group: kafkaGroup, folder: groupFolder(folder, group), follow: false };
    const { signal } = new AbortController();
    for await (const { shard, behind } of fillShards(own, { ...options, signal })) {
      expect(behind).toBe(0);
      shards.push(shard);
    }
    await own.close();
    return shards;
  }

  it.each([1, 2, 4])('are those of one file when %d members fill them', async (count) => {
    const group = `of-${count}`;
    const filled = await Promise.all(Array.from({ length: count }, () => member(group)));
    expect(new Set(filled.flat())).toEqual(new Set(ledger.shards().names));
    expect(await digestsOfGroup(ledger, folder, group)).toEqual(expected);
  });

  it('are those of one file when two members have the same shards at once', async () => {
    await Promise.all([member('twice', randomUUID()), member('twice', randomUUID())]);
    expect(await digestsOfGroup(ledger, folder, 'twice')).toEqual(expected);
  });

  it('are those of one file when members come, leave and are killed in the middle of batches', async () => {
    const changing = await fixture.open(await fixture.fresh());
    await writeVaried(changing, 0);
    const place = { ledger: changing, folder: join(folder, 'changing') };
    const done = await rebalanced({ ...place, rebalances: 3, drawn: Math.random });
    await changing.close();
    expect(done.faults).toEqual([]);
    expect(done.inTheMiddle).toBeGreaterThan(0);
  });

  it('are those of one file when the decisions are in another store', async () => {
    const evidence = await fixture.open(await fixture.fresh());
    const decisions = `sqlite:${join(folder, 'decisions.db')}`;
    await (await openLedger(decisions, { create: true, createAs: evidence.id })).close();
    const split = await openLedger(`split:${decisions}+${evidence.url}`, {});
    await writeHistory(split);
    await fillAll(split, folder, 'split');
    const { path } = await project(split, join(folder, 'whole-split'));
    expect(await digestsOfGroup(split, folder, 'split')).toEqual(ofPeople(await tableDigests(path)));
    await split.close();
    await evidence.close();
  });

  describe('asked', () => {
    const group = 'of-1';
    const ask = async (sql: string, ofGroup = group): Promise<readonly unknown[]> =>
      await withQuestionsOfGroup({ ledger, tables: folder, group: ofGroup }, limits, {}, async (questions) => {
        const rows: unknown[] = [];
        for await (const chunk of (await questions.ask(sql)).chunks()) rows.push(...chunk.getRows());
        return rows;
      });

    it('say which shards were never filled', async () => {
      const [first = '', ...others] = ledger.shards().names;
      await expect(ask('FROM runs', 'nobody')).rejects.toMatchObject({
        name: 'ShardNotFilled',
        message: `the tables of group nobody cannot be asked: ${[first, ...others].join(', ')} are not filled`,
      });
    });

    it('answer of all shards together, and say how many events came since', async () => {
      const { events } = await ledger.head();
      const count = 'SELECT count(*)::INTEGER FROM events';
      expect(await ask(count)).toEqual([[events]]);
      await writeRollouts(ledger, 1000, 3, 0);
      const standing = await withQuestionsOfGroup(
        { ledger, tables: folder, group },
        limits,
        {},
        async (_, standing) => standing,
      );
      expect(standing).toEqual({ events, behind: 3, unknown: [] });
      expect(await ask(count)).toEqual([[events]]);
      await member(group);
      expect(await ask(count)).toEqual([[events + 3]]);
    });

    it('list the tables as those of one file do', async () => {
      const names = (await ask('SHOW TABLES')).flat();
      expect(names).toEqual(
        Object.keys(expected)
          .map((name) => name.replace('main.', ''))
          .sort(),
      );
    });

    it('read what people may read, and nothing else', async () => {
      const refused = [
        'FROM "shard-decisions".log.events',
        'FROM "shard-decisions".rollouts',
        'CREATE TABLE mine (a INTEGER)',
        "ATTACH 'other.duckdb'",
        'DETACH "shard-decisions"',
        'USE "shard-decisions"',
        "COPY (FROM runs) TO 'runs.csv'",
        "FROM read_csv('/etc/passwd')",
        `FROM '${join(groupFolder(folder, group), 'decisions', 'tables-000001.duckdb')}'`,
      ];
      await withQuestionsOfGroup({ ledger, tables: folder, group }, limits, {}, async (questions) => {
        for (const sql of refused)
          await expect(questions.ask(sql), sql).rejects.toMatchObject({
            name: expect.stringMatching(/^(?:RefusedStatement|UnknownName)$/),
          });
      });
    });

    it('are filled anew where they were torn, and asked again', async () => {
      const path = join(groupFolder(folder, group), 'evidence-1', 'tables-000001.duckdb');
      truncateSync(path, 5000);
      await expect(ask('FROM runs')).rejects.toMatchObject({
        name: 'ShardNotFilled',
        message: /evidence-1 cannot be used/,
      });
      await member(group);
      expect(await ask('SELECT count(*) > 0 FROM events')).toEqual([[true]]);
    });
  });
});

/** Something of everything, in every shard. */
async function writeHistory(ledger: Ledger): Promise<void> {
  await writeVaried(ledger);
  for (let shard = 2; shard < 10; shard++) await writeRollouts(ledger, 0, 40, shard);
  for (const world of fc.sample(randomHistory(), { numRuns: 1, seed: 11 })) await writeWorld(ledger, world);
}

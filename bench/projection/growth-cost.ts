// The cost of tables for one history, measured as in loading.ts and asking.ts. The history is unchanged: events are appended to a copy.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { withQuestions } from '../../src/projections/current-tables.ts';
import { median } from '../measure.ts';
import { limits, queryTimes, visibleTimes } from './asking.ts';
import { copyOf, type History } from './growth-histories.ts';
import type { Loaded } from './load.ts';
import { load } from './loading.ts';

const rebuilds = 3;
const rounds = 5;

/** All times are medians in milliseconds. */
export interface Cost {
  readonly rollouts: number;
  readonly events: number;
  readonly ledgerBytes: number;
  readonly tablesBytes: number;
  readonly rebuild: number;
  /** The peak of all rebuilds. */
  readonly peakMiB: number;
  readonly visible: number;
  readonly statistics: number;
  readonly stage: number;
  /** The values behind the medians. */
  readonly found: {
    readonly rebuilds: readonly Loaded[];
    readonly visible: readonly number[];
    readonly statistics: readonly number[];
    readonly stage: readonly number[];
  };
}

/** Removes everything except the history afterwards. */
export async function costOf(history: History, folder: string): Promise<Cost> {
  const tables = join(folder, 'tables');
  const loaded = await madeAnew(history, tables);
  const url = copyOf(history, folder);
  const asked = await askedOf(url, tables);
  await rm(tables, { recursive: true });
  return {
    rollouts: history.rollouts,
    events: history.events,
    ledgerBytes: history.bytes,
    tablesBytes: loaded.at(-1)?.bytes ?? Number.NaN,
    rebuild: median(loaded.map(({ seconds }) => seconds)) * 1000,
    peakMiB: Math.max(...loaded.map(({ peakMiB }) => peakMiB)),
    visible: median(asked.visible),
    statistics: median(asked.statistics),
    stage: median(asked.stage),
    found: { rebuilds: loaded, ...asked },
  };
}

/** Leaves the tables of the last round for queries. */
async function madeAnew({ url }: History, tables: string): Promise<readonly Loaded[]> {
  const loaded: Loaded[] = [];
  for (let round = 0; round < rebuilds; round++) {
    await rm(tables, { recursive: true, force: true });
    loaded.push(await load('project', url, tables));
  }
  return loaded;
}

async function askedOf(url: string, tables: string): Promise<Omit<Cost['found'], 'rebuilds'>> {
  const ledger = await openLedger(url);
  try {
    const statistics = await queryTimes(ledger, tables, 'FROM stage_stats', rounds);
    const stage = await queryTimes(ledger, tables, await stageQuestion(ledger, tables), rounds);
    return { statistics, stage, visible: await visibleTimes(ledger, tables, rounds) };
  } finally {
    await ledger.close();
  }
}

/** A query about the middle one of all stages, because the first or last might be found faster. */
async function stageQuestion(ledger: Ledger, tables: string): Promise<string> {
  const [run, stage] = await withQuestions(ledger, tables, limits, {}, async (questions) => {
    for await (const chunk of (await questions.ask(middle)).chunks()) return chunk.getRows()[0] ?? [];
    return [];
  });
  return `SELECT family, count(*) AS tries, count(*) FILTER (success) AS valid, avg(reward) AS reward,
      mode(failure_class) AS failure
    FROM rollouts WHERE run = '${run}' AND stage = ${stage} AND split = 'probe' GROUP BY family ORDER BY family`;
}

const middle = `WITH places AS (
    SELECT run, stage, row_number() OVER (ORDER BY run, stage) AS place, count(*) OVER () AS places
    FROM stage_stats WHERE split = 'probe' AND family IS NULL
  )
  SELECT run, stage FROM places WHERE place = places // 2 + 1`;

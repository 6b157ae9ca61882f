// Waiting times with a long history: until new events are visible, for statistics per stage, and until the prompt appears.
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { withQuestions } from '../../src/projections/current-tables.ts';
import { project } from '../../src/projections/projector/projector.ts';
import type { Questions } from '../../src/projections/query/questions.ts';
import { median } from '../measure.ts';
import type { Line, Report } from '../report.ts';
import { rollouts, stream } from '../rollouts.ts';
import type { Made } from './histories.ts';
import { promptMilliseconds } from './prompt.ts';

const rounds = 7;
export const grown = 10_000;
export const limits = { memoryMegabytes: 1024, seconds: 60 };

export async function askingReport({ url, events }: Made, folder: string): Promise<Report> {
  const ledger = await openLedger(url);
  try {
    await project(ledger, folder);
    const statistics = await queryTimes(ledger, folder, 'FROM stage_stats', rounds);
    const visible = await visibleTimes(ledger, folder, rounds);
    const prompt = await times(rounds, () => promptMilliseconds(url));
    return {
      title: `querying ${events.toLocaleString('en')} events`,
      lines: [
        line(`${grown.toLocaleString('en')} new events until an answer includes them`, visible, 200),
        line('statistics of all stages', statistics, 50),
        line('from the start of the process to the prompt', prompt, 300),
      ],
      data: { events, visible, statistics, prompt },
    };
  } finally {
    await ledger.close();
  }
}

const counted = `SELECT count(*) FROM rollouts WHERE stream = '${stream}'`;

/** The time of a query with open, warm tables. */
export async function queryTimes(
  ledger: Ledger,
  folder: string,
  query: string,
  count: number,
): Promise<readonly number[]> {
  return await withQuestions(ledger, folder, limits, {}, async (questions) => {
    await rowsOf(questions, query);
    return await times(count, () => rowsOf(questions, query));
  });
}

/** The time until an answer includes newly appended events. */
export function visibleTimes(ledger: Ledger, folder: string, count: number): Promise<readonly number[]> {
  return times(count, async (round) => {
    await ledger.append(stream, rollouts(round * grown, grown), { expect: 'any' });
    const begun = performance.now();
    await withQuestions(ledger, folder, limits, {}, (questions) => rowsOf(questions, counted));
    return performance.now() - begun;
  });
}

async function rowsOf(questions: Questions, sql: string): Promise<number> {
  const begun = performance.now();
  const answer = await questions.ask(sql);
  for await (const chunk of answer.chunks()) chunk.getRows();
  return performance.now() - begun;
}

/** The first round warms up. */
async function times(count: number, work: (round: number) => Promise<number>): Promise<readonly number[]> {
  const found: number[] = [];
  for (let round = 0; round <= count; round++) found.push(Math.round(await work(round)));
  return found.slice(1);
}

function line(what: string, found: readonly number[], within: number): Line {
  const middle = median(found);
  return { what, value: `${Math.round(middle)} ms`, target: `within ${within} ms`, met: middle <= within };
}

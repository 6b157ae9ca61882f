// The report of a run as a value: all that its HTML, its Markdown and its JSON say. Only decisions are read, and single
// events by their ids.
import type { Report, Told } from '../../../schemas/report-output.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { makeHead } from '../../ledger/seal/head.ts';
import type { RunRead } from '../../producers/history/run-read.ts';
import type { EventFinder } from '../../projections/finding.ts';
import { isForPerson, runToDecide } from '../history/hidden.ts';
import { runShown } from '../history/runs.ts';
import type { TextOf } from '../why/told.ts';
import { whyOf } from '../why/why.ts';
import { chartDataOf } from './chart-data.ts';
import { drawnIn } from './drawn.ts';

export interface ReportOptions {
  /** The version of icecore. */
  readonly by: string;
  readonly at: string;
  /** Also what is left out while a person decides. */
  readonly all: boolean;
  /** Reads texts that are kept as blobs. */
  readonly textOf: TextOf;
  /** Finds events by id; without it, only the ledger is asked. */
  readonly finder?: EventFinder | undefined;
}

/** More decisions than these are told by charts and tables only. */
const mostTold = 60;

/** A head of more events than these takes longer than the rest of a report. */
const mostForHead = 200_000;

export async function reportOf(
  ledger: Ledger,
  read: RunRead,
  { by, at, all, textOf, finder }: ReportOptions,
): Promise<Report> {
  const isOpen = all || !isForPerson(read);
  const whole = await runShown(ledger, read);
  const { ledger: _, ...run } = isOpen ? whole : runToDecide(whole);
  const decided = decidedStages(read);
  const told = decided.slice(-mostTold);
  const story: Told[] = [];
  for (const stage of told) {
    const { ledger: __, ...why } = await whyOf(ledger, read, stage, {
      textOf,
      ...(finder === undefined ? {} : { finder }),
    });
    story.push(why);
  }
  const { events } = await ledger.head();
  return {
    as_of: at,
    by,
    ledger: { id: ledger.id, events, head: events <= mostForHead ? await makeHead(ledger) : null },
    end: await endOf(ledger, read.run),
    leftOut: !isOpen,
    run,
    story,
    untold: decided.length - told.length,
    drawn: drawnIn(read),
    charts: chartDataOf(read, isOpen),
  };
}

/** Stages there is something to say of, the one that is decided and has not begun among them. */
function decidedStages({ history, adoptions }: RunRead): readonly number[] {
  const begun = history.stages.map(({ stage }) => stage);
  const beyond = (begun.at(-1) ?? 0) + 1;
  const isProposed = (history.stages.at(-1)?.proposals ?? []).length > 0;
  return begun.length > 0 && (adoptions.has(beyond) || isProposed) ? [...begun, beyond] : begun;
}

async function endOf(ledger: Ledger, run: string): Promise<Report['end']> {
  const stream = streamOf.run(run);
  for await (const events of ledger.read(stream, { backwards: true, limit: 1 })) {
    for (const { revision, digest } of events) return { stream, revision, digest };
  }
  return null;
}

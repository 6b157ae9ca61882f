// The recorded ablations, newest first, without their results.
import { ablationOptions } from '../../../schemas/ablation-options.ts';
import type { ListAblations } from '../../../schemas/list-output.ts';
import { leadingConclusion } from '../../analysis/ablation/statistics/conclusions.ts';
import { isInForce } from '../../analysis/history/runs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { runOf } from '../../ledger/runs.ts';
import { lastClaim } from '../../producers/run/claim.ts';
import { listOf } from '../listing.ts';
import { withLedgerToAnswer } from '../opening/ledger.ts';
import type { Session } from '../session.ts';

type Row = ListAblations['rows'][number];

export async function ablations(session: Session): Promise<ListAblations> {
  return await withLedgerToAnswer(session, async (ledger) => {
    const rows = new Map<string, Row>();
    for await (const events of ledger.readAll({ types: ['AblationStarted', 'AblationCompleted'] })) {
      session.signal.throwIfAborted();
      for (const { stream, reading, envelope } of events) {
        const ablation = stream.slice('ablation-'.length);
        const row = rows.get(ablation) ?? unread(ablation);
        rows.set(ablation, row);
        if (!reading.known) continue;
        if (reading.type === 'AblationCompleted') {
          const conclusion = leadingConclusion(reading.data.conclusions);
          rows.set(ablation, { ...row, state: 'completed', conclusion });
        }
        if (reading.type !== 'AblationStarted') continue;
        const { name = ablation, depth, arms, histories, options, tags = [], notes = null } = reading.data;
        const seeds = ablationOptions.safeParse(options).data?.units.length ?? null;
        rows.set(ablation, {
          ...row,
          ...{ name, at: envelope.at, depth, notes, seeds, tags: [...tags] },
          arms: arms.map(({ arm }) => arm),
          histories: histories.map(({ run, decisions }) => ({ run, name: null, decisions: [...decisions] })),
        });
      }
    }
    const names = await namesOf(ledger, [...rows.values()]);
    const complete = await Promise.all(
      [...rows.values()].map(async (row) => ({
        ...row,
        state: row.state === 'stopped' && (await isRunning(ledger, row.ablation)) ? ('running' as const) : row.state,
        histories: row.histories.map((one) => ({ ...one, name: names.get(one.run) ?? null })),
      })),
    );
    return listOf(complete.toReversed());
  });
}

/** One that a newer icecore recorded has no more than its identity. */
function unread(ablation: string): Row {
  const nothing = {
    at: null,
    depth: null,
    arms: [],
    seeds: null,
    histories: [],
    tags: [],
    notes: null,
    conclusion: null,
  };
  return { ablation, name: ablation, state: 'stopped', ...nothing };
}

async function namesOf(ledger: Ledger, rows: readonly Row[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const run of new Set(rows.flatMap(({ histories }) => histories.map((one) => one.run)))) {
    const found = await runOf(ledger, run);
    if (found !== null) names.set(run, found.name);
  }
  return names;
}

async function isRunning(ledger: Ledger, ablation: string): Promise<boolean> {
  const claim = await lastClaim(ledger, ablation);
  return claim !== null && isInForce(claim);
}

// What `icecore tables refresh` does: brings the tables up to date, builds them anew, or keeps them up to date.
import type { ProjectResult } from '../../../schemas/tables-output.ts';
import { counted, duration } from '../../base/quantity.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { withLedgerToRead } from '../../library/opening/ledger.ts';
import { tablesToFill, tablesTrust } from '../../library/opening/tables.ts';
import { refresh, refreshResult } from '../../library/tables.ts';
import { follow, type Projected } from '../../projections/projector/projector.ts';
import type { Context } from '../context.ts';
import { exitCodeOf, type StopSignal } from '../io.ts';
import { Follower } from '../waiting.ts';
import { remark, remarkStore } from './remarks.ts';

export interface Asked {
  readonly rebuild?: true;
  readonly follow?: true;
}

export async function projectTables(context: Context, asked: Asked): Promise<number> {
  const rebuild = asked.rebuild === true;
  if (asked.follow === true) {
    const follower = new Follower(context);
    const body = (ledger: Ledger): Promise<number> => keepUp(context, ledger, follower, rebuild);
    return await withLedgerToRead(context.session, body, follower.onWait);
  }
  await tell(context, await refresh(context.session, { rebuild }));
  await withLedgerToRead(context.session, (ledger) => remarkStore(context, ledger));
  return 0;
}

async function keepUp(context: Context, ledger: Ledger, follower: Follower, rebuild: boolean): Promise<number> {
  const { signal, session } = context;
  const folder = await tablesToFill(session, ledger);
  const notes = new Set<string>();
  const onNote = (note: string): void => {
    if (!notes.has(note)) void context.say(note);
    notes.add(note);
  };
  const options = { signal, trust: tablesTrust(session), onNote };
  let started = performance.now();
  let isTold = false;
  const begin = (): AsyncIterable<Projected> => follow(ledger, folder, { ...options, rebuild: rebuild && !isTold });
  try {
    for await (const done of follower.following(begin)) {
      // Where it was gone on with, and nothing had come meanwhile, there is nothing to tell.
      if (isTold && done.added === 0) continue;
      isTold = true;
      await tell(context, refreshResult(session, ledger, done, performance.now() - started));
      started = performance.now();
    }
  } catch (fault) {
    if (!signal.aborted) throw fault;
  }
  return exitCodeOf(signal.reason as StopSignal);
}

async function tell(context: Context, result: ProjectResult): Promise<void> {
  if (context.flags.json) return await context.printJson(result);
  await remark(context, result);
  const { added, events, seconds } = result;
  await context.print(`${counted(added, 'event')} added, ${counted(events, 'event')} in all, ${duration(seconds)}\n`);
}

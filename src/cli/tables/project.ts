// What `icecore tables refresh` does: brings the tables up to date, builds them anew, or keeps them up to date.
import type { ProjectResult } from '../../../schemas/tables-output.ts';
import { counted, duration } from '../../base/quantity.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { withLedgerToRead } from '../../library/opening/ledger.ts';
import { tablesFolder, tablesTrust, withTablesProgress } from '../../library/opening/tables.ts';
import { follow, type Projected, project } from '../../projections/projector/projector.ts';
import type { Context } from '../context.ts';
import { exitCodeOf, type StopSignal } from '../io.ts';
import { Follower } from '../waiting.ts';
import { remark, remarkStore, unknownTo } from './remarks.ts';

export interface Asked {
  readonly rebuild?: true;
  readonly follow?: true;
}

export async function projectTables(context: Context, asked: Asked): Promise<number> {
  const rebuild = asked.rebuild === true;
  const follower = asked.follow === true ? new Follower(context) : null;
  const body = async (ledger: Ledger): Promise<number> => {
    const folder = tablesFolder(context.io, ledger);
    if (follower !== null) return await keepUp(context, ledger, follower, { folder, rebuild });
    const started = performance.now();
    const done = await withTablesProgress(context.session, ledger, (options) =>
      project(ledger, folder, { ...options, rebuild }),
    );
    await tell(context, ledger, done, started);
    await remarkStore(context, ledger);
    return 0;
  };
  return await withLedgerToRead(context.session, body, follower?.onWait);
}

async function keepUp(
  context: Context,
  ledger: Ledger,
  follower: Follower,
  { folder, rebuild }: { readonly folder: string; readonly rebuild: boolean },
): Promise<number> {
  const { signal } = context;
  const notes = new Set<string>();
  const onNote = (note: string): void => {
    if (!notes.has(note)) void context.say(note);
    notes.add(note);
  };
  const options = { signal, trust: tablesTrust(context.io), onNote };
  let started = performance.now();
  let isTold = false;
  const begin = (): AsyncIterable<Projected> => follow(ledger, folder, { ...options, rebuild: rebuild && !isTold });
  try {
    for await (const done of follower.following(begin)) {
      // Where it was gone on with, and nothing had come meanwhile, there is nothing to tell.
      if (isTold && done.added === 0) continue;
      isTold = true;
      await tell(context, ledger, done, started);
      started = performance.now();
    }
  } catch (fault) {
    if (!signal.aborted) throw fault;
  }
  return exitCodeOf(signal.reason as StopSignal);
}

async function tell(context: Context, ledger: Ledger, done: Projected, started: number): Promise<void> {
  const { path, added, events, built, remade, unread } = done;
  const unknown = unknownTo(context.io, done.unknown);
  const seconds = Math.round(performance.now() - started) / 1000;
  const result: ProjectResult = {
    ledger: ledger.url,
    tables: path,
    events,
    added,
    unread,
    unknown,
    built,
    remade: [...remade],
    seconds,
  };
  if (context.flags.json) return await context.printJson(result);
  await remark(context, { ...done, unknown });
  await context.print(`${counted(added, 'event')} added, ${counted(events, 'event')} in all, ${duration(seconds)}\n`);
}

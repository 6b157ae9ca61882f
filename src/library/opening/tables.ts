// The SQL tables of the ledger in use: how far filling them is, and where they are.
import { resolve } from 'node:path';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ProjectOptions } from '../../projections/projector/projector.ts';
import { tablesBeside, tablesWithin } from '../../projections/warehouse/place.ts';
import type { TablesTrust } from '../../projections/warehouse/provenance.ts';
import { findHome } from '../place/place.ts';
import type { Session, Surroundings } from '../session.ts';

const subject = 'events in tables';

/** Notices how far filling is; `isThrough` is called where what comes next is about something else. */
export async function withTablesProgress<Result>(
  session: Session,
  ledger: Ledger,
  body: (options: ProjectOptions, isThrough: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const { events: of } = await ledger.head();
  const notes = new Set<string>();
  const end = (): Promise<void> => session.notify({ kind: 'progress-ended', subject });
  await session.notify({ kind: 'progress', subject, done: 0, of });
  try {
    const options = {
      trust: tablesTrust(session),
      signal: session.signal,
      progress: (done: number) => void session.notify({ kind: 'progress', subject, done, of }),
      onNote: (note: string) => void notes.add(note),
    };
    return await body(options, end);
  } finally {
    await end();
    for (const text of notes) await session.notify({ kind: 'note', text });
  }
}

/** A folder that the user named is the user's own word; elsewhere the user's records vouch for files of tables. */
export function tablesTrust({ env }: Pick<Surroundings, 'env'>): TablesTrust {
  return { env, isNamed: Boolean(env['ICECORE_TABLES']) };
}

/** Several ledgers may have their tables in one folder that was named. */
export function tablesFolder(surroundings: Surroundings, ledger: Pick<Ledger, 'id' | 'url'>): string {
  const named = surroundings.env['ICECORE_TABLES'];
  return named
    ? tablesWithin(resolve(surroundings.cwd, named), ledger)
    : tablesBeside(ledger.url, findHome(surroundings).path);
}

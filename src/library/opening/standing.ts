// How up to date the tables of an answer are, for its reader.
import type { UnknownEvents } from '../../ledger/unknown-events.ts';
import type { Standing } from '../../projections/current-tables.ts';
import type { Session } from '../session.ts';

/** Counts all events that icecore without plugins does not know. */
export async function unknownTo(
  { plugins }: Pick<Session, 'plugins'>,
  unknown: readonly UnknownEvents[],
): Promise<readonly UnknownEvents[]> {
  if (unknown.length === 0) return [];
  const { eventTypesWith } = await import('../../../schemas/own-events.ts');
  const types = eventTypesWith((await plugins.atHand()).eventTypes);
  return unknown.filter(({ type, version }) => version > (types.get(type)?.versions.length ?? 0));
}

/** Reported even with --quiet: an outdated or incomplete answer must not look complete. */
export async function noticeStanding(session: Session, standing: Standing): Promise<Standing> {
  const known = { ...standing, unknown: await unknownTo(session, standing.unknown) };
  await session.notify({ kind: 'tables', ...known });
  return known;
}

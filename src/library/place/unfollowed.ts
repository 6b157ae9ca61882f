// A settings file with code that has not run with its present content. Whoever only looks runs no code, so what it says is not known:
// then the workspace's own ledger is read, and that is said.
import { shellWord } from '../../base/shell-word.ts';
import type { Session } from '../session.ts';
import type { Config } from './config.ts';
import type { Place } from './place.ts';

export const unfollowed = 'not followed, since its code has not run in this form';

export function howToFollow({ path }: Pick<Config, 'path'>): string {
  return `icecore trust ${shellWord(path)} runs it; to do without it: --ledger URL or --no-config`;
}

/** Nothing where the ledger was named otherwise. */
export async function noticeUnfollowed(session: Session, { config, ledger }: Place): Promise<void> {
  if (config === null || config.isKnown || ledger.from !== 'workspace') return;
  await session.notify({ kind: 'hint', text: `${config.path} is ${unfollowed}: ${howToFollow(config)}` });
}

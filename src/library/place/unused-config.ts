// A settings file whose code has not run with its current content. Commands that only read run no code, so its settings are
// unknown: they read the workspace's own ledger and say so.
import { shellWord } from '../../base/shell-word.ts';
import type { Session } from '../session.ts';
import type { Config } from './config.ts';
import type { Place } from './place.ts';

export const notUsed = 'ignored, because its code has not run with its current content';

export function howToUse({ path }: Pick<Config, 'path'>): string {
  return `icecore trust ${shellWord(path)} runs it; to run without it: --ledger URL or --no-config`;
}

/** Silent if the ledger was named explicitly. */
export async function noticeUnusedConfig(session: Session, { config, ledger }: Place): Promise<void> {
  if (config === null || config.isKnown || ledger.from !== 'workspace') return;
  await session.notify({ kind: 'hint', text: `${config.path} is ${notUsed}: ${howToUse(config)}` });
}

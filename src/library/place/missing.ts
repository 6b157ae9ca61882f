// What to type if the ledger does not exist: the command that creates it without changing which ledger this folder uses.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { shellWord } from '../../base/shell-word.ts';
import type { Caller, Surroundings } from '../session.ts';
import { type Config, configIn } from './config.ts';
import { type LedgerPlace, type Place, statedLedger, workspaceForInit } from './place.ts';
import type { WorkspaceFolder } from './workspace-folder.ts';

export function howToMake(caller: Caller, { workspace, config, ledger }: Place): string {
  const isNamed = ledger.from === '--ledger' || ledger.from === 'ICECORE_LEDGER';
  if (isNamed) {
    const named = shellWord(caller.ledger ?? caller.env['ICECORE_LEDGER'] ?? ledger.url);
    const makes = usedHere(caller, ledger) === null ? `init --ledger ${named}` : `event append --ledger ${named} FILE`;
    return `Create one with \`icecore ${makes}\`, or name another with --ledger or ICECORE_LEDGER.`;
  }
  const folder = config?.ledger === undefined ? folderOf(workspace, caller.cwd) : config.folder;
  const there = folder === caller.cwd ? '' : `cd ${shellWord(folder)} && `;
  return `Create one with \`${there}icecore init\` or start a run with \`${there}icecore run\`, or name another with --ledger or ICECORE_LEDGER.`;
}

function folderOf(workspace: WorkspaceFolder, cwd: string): string {
  return workspace.from === 'ICECORE_WORKSPACE' ? cwd : dirname(workspace.path);
}

/** The ledger that this folder uses by default, if it exists or is configured, and is another. */
export function usedHere({ env, cwd }: Surroundings, wanted: LedgerPlace): LedgerPlace | null {
  const config = configIn(cwd, env);
  const { ICECORE_LEDGER: _, ...others } = env;
  const used = statedLedger({ env: others, cwd }, config, workspaceForInit({ env, cwd }));
  if (used.url === wanted.url) return null;
  return isUsed(used, config) ? used : null;
}

/** Configured, or an existing file in the workspace. */
export function isUsed({ files }: LedgerPlace, config: Config | null): boolean {
  return config?.ledger !== undefined || files.some((file) => existsSync(file));
}

// What to type if the ledger does not exist: another path, if it was mistyped, or the command that creates it without changing
// which ledger this folder uses.
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { nearest } from '../../../schemas/nearest.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Caller, Surroundings } from '../session.ts';
import { type Config, configIn } from './config.ts';
import { type LedgerPlace, type Place, statedLedger, workspaceForInit } from './place.ts';
import type { WorkspaceFolder } from './workspace-folder.ts';

export function howToMake(caller: Caller, { workspace, config, ledger }: Place): string {
  const isNamed = ledger.from === '--ledger' || ledger.from === 'ICECORE_LEDGER';
  if (isNamed) {
    const typed = caller.ledger ?? caller.env['ICECORE_LEDGER'] ?? ledger.url;
    const used = usedHere(caller, ledger);
    const meant = nearPath(typed, ledger);
    const near = meant === null ? '' : `Did you mean ${shellWord(meant)}? `;
    if (used === null)
      return `${near}Create one with \`icecore init --ledger ${shellWord(typed)}\`, or name another with --ledger or ICECORE_LEDGER.`;
    return `${near === '' ? 'Check the path. ' : near}Without ${ledger.from}, commands here use ${used.url}; \`icecore run --ledger ${shellWord(typed)}\` would start a new ledger.`;
  }
  const folder = config?.ledger === undefined ? folderOf(workspace, caller.cwd) : config.folder;
  const there = folder === caller.cwd ? '' : `cd ${shellWord(folder)} && `;
  return `\`${there}icecore init\` creates one here; \`${there}icecore run\` creates one and starts a run. For runs in another folder, go there or name their ledger with --ledger or ICECORE_LEDGER.`;
}

/** As it was typed, but with the name of a file in its folder that is nearly the same. */
function nearPath(typed: string, { files: [file] }: LedgerPlace): string | null {
  if (file === undefined || !typed.endsWith(basename(file))) return null;
  const folder = dirname(file);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.db')) : [];
  const found = nearest(basename(file), names);
  return found === null ? null : `${typed.slice(0, -basename(file).length)}${found}`;
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

// Which part of a folder of tables belongs to this user's settings. Files of tables are trusted by records in the user's settings, so
// two folders of settings, as of a service and of a shell, would rebuild each other's tables again and again: each gets its own.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { jsonOrUndefined } from '../../../schemas/json-text.ts';
import { fileInstance, readRegularFile } from '../../base/regular-file.ts';
import { userFolder } from '../../base/user-settings.ts';
import { sha256 } from '../../ledger/identity/ids.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the file `settings.json` in a folder of tables says. */
interface Claim {
  /** The folder, so that a copy of it is claimed anew. */
  readonly folder: string;
  /** The settings that the files in it are recorded in, as a digest. */
  readonly settings: string;
}

/** The folder itself, or its part for these settings if others have claimed it. */
export function partForSettings(folder: string, env: Environment): string {
  const claim = claimOf(folder);
  const settings = settingsOf(env);
  return claim === null || claim.settings === settings ? folder : join(folder, partName(settings));
}

/** Claims the folder if nobody has. Where nothing can be written, the folder stays as it is. */
export function claimForSettings(folder: string, env: Environment): void {
  const identity = fileInstance(folder);
  if (identity === null || claimOf(folder) !== null) return;
  const claim: Claim = { folder: identity, settings: settingsOf(env) };
  const part = `${claimPath(folder)}.${process.pid}`;
  try {
    rmSync(part, { force: true });
    writeFileSync(part, JSON.stringify(claim), { flag: 'wx', mode: 0o600 });
    renameSync(part, claimPath(folder));
  } catch {
    rmSync(part, { force: true });
  }
}

export const partOfSettings: RegExp = /^settings-[0-9a-f]{8}$/;

/** The folder that the part is in, or the folder itself. */
export function sharedFolder(folder: string): string {
  return partOfSettings.test(basename(folder)) ? dirname(folder) : folder;
}

function partName(settings: string): string {
  return `settings-${settings.slice(0, 8)}`;
}

function settingsOf(env: Environment): string {
  return sha256(userFolder(env));
}

function claimPath(folder: string): string {
  return join(folder, 'settings.json');
}

const maxClaimBytes = 4_096;

/** Null if it is missing, unreadable, or that of another folder, of which this one is a copy. */
function claimOf(folder: string): Claim | null {
  try {
    const claim = jsonOrUndefined(readRegularFile(claimPath(folder), maxClaimBytes).toString()) as Partial<Claim>;
    const isOfIt = claim.folder === fileInstance(folder) && typeof claim.settings === 'string';
    return isOfIt ? (claim as Claim) : null;
  } catch {
    return null;
  }
}

// What `icecore init` writes into icecore.config.json: what it was asked for and is not there yet. What is there and says
// something else is left to people.
import { dirname, join } from 'node:path';
import { IcecoreError } from '../../schemas/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import { textOf } from '../ledger/stores.ts';
import { absoluteBlobs, type Config, configIn, jsonConfigName } from '../library/place/config.ts';
import { usedHere } from '../library/place/missing.ts';
import type { LedgerPlace } from '../library/place/place.ts';
import { type Settings, writeConfig } from '../library/place/write-config.ts';
import type { Context } from './context.ts';
import type { Wanted } from './init-wanted.ts';

/** What is to be written. Throws where the folder uses another ledger, or other blobs. */
export function settingsToWrite(context: Context, wanted: Wanted, place: LedgerPlace): Settings {
  const { cwd, env } = context.io;
  const present = configIn(cwd, env);
  requireWritable(context, wanted, present);
  if (wanted.ledger !== null) refuseToSwitch(context, wanted.ledger, place);
  if (wanted.blobs !== null && present?.blobs !== undefined) refuseToSwitchBlobs(present, wanted.blobs, present.blobs);
  return {
    ...(wanted.ledger === null || present?.ledger !== undefined ? {} : { ledger: wanted.ledger.setting }),
    ...(wanted.blobs === null || present?.blobs !== undefined ? {} : { blobs: wanted.blobs }),
  };
}

/** Code is written by people, and what nobody looks at is not written either. */
function requireWritable({ io }: Context, wanted: Wanted, present: Config | null): void {
  if (wanted.ledger === null && wanted.blobs === null) return;
  if (io.config === false) {
    throw new IcecoreError(
      'usage',
      'init: --ledger and --blobs are written into the settings, and --no-config leaves those alone',
      {
        remedy: 'Leave --no-config out, or name the ledger with every command.',
      },
    );
  }
  const says =
    (present?.ledger !== undefined || wanted.ledger === null) &&
    (present?.blobs !== undefined || wanted.blobs === null);
  if (present?.isCode !== true || says) return;
  throw new IcecoreError('conflict', `${present.path} is code, which init does not write`, {
    facts: { path: present.path },
    remedy: 'Write the ledger or the blobs into it yourself; then icecore init creates them.',
  });
}

/** The file that was written; null where there was nothing to write. */
export function writeSettings(io: Context['io'], settings: Settings): string | null {
  if (Object.keys(settings).length === 0) return null;
  const path = join(io.cwd, jsonConfigName);
  writeConfig(path, settings, io);
  return path;
}

/** Events that went to the wrong ledger cannot be taken out again, so a folder in use changes ledgers by hand only. */
function refuseToSwitch({ io }: Context, { url, setting }: NonNullable<Wanted['ledger']>, place: LedgerPlace): void {
  const used = usedHere(io, place);
  if (used === null) return;
  const present = configIn(io.cwd, io.env);
  const path = present?.path ?? join(io.cwd, jsonConfigName);
  const found = present?.ledger;
  const what =
    found === undefined
      ? `this folder already uses the ledger ${used.url}`
      : `${path} already names the ledger ${found}`;
  const named = textOf(url);
  throw new IcecoreError('conflict', what, {
    facts: { path, found: found ?? used.url, wanted: named },
    remedy:
      `To use the other one here from now on, write ${JSON.stringify({ ledger: setting })} to ${path}. ` +
      `To write to it and change nothing here: icecore event append --ledger ${shellWord(named)} FILE, which makes it.`,
  });
}

/** Blobs that were put elsewhere would be missing. */
function refuseToSwitchBlobs({ path, folder }: Config, wanted: string, found: string): void {
  if (absoluteBlobs(found, folder) === absoluteBlobs(wanted, dirname(path))) return;
  throw new IcecoreError('conflict', `${path} already names the blobs ${found}`, {
    facts: { path, found, wanted },
    remedy: `Bring them there first, with icecore ledger copy and --to-blobs; then write ${JSON.stringify({ blobs: wanted })} to ${path}.`,
  });
}

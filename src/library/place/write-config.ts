// Writes an icecore.config.json for `icecore init`.
import { renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readRegularFile } from '../../base/regular-file.ts';
import { Consents, digestOf } from '../consent/consents.ts';
import { consentToConfig } from '../consent/gate.ts';
import type { Surroundings } from '../session.ts';
import { type Config, configIn, maxConfigBytes, requestsOf } from './config.ts';
import { valueIn } from './settings-file.ts';

/** The settings that can be written. */
export interface Settings {
  readonly ledger?: string | { readonly decisions: string; readonly evidence: string };
  readonly blobs?: string;
}

/**
 * Other settings stay unchanged. Requests that this user had allowed stay allowed, together with the added ones, because only
 * this user changed the file. Adding to a file of another user does not allow that file.
 */
export function writeConfig(path: string, settings: Settings, surroundings: Surroundings): void {
  const present = configIn(dirname(path), surroundings.env);
  const before = present === null ? [] : allowedBefore(present, surroundings);
  const known = present === null ? {} : (valueIn(path, readRegularFile(path, maxConfigBytes)) as object);
  // Written next to the file and renamed: a symbolic link is replaced and its target stays unchanged.
  const part = `${path}.${process.pid}.part`;
  const text = `${JSON.stringify({ ...known, ...settings }, null, 2)}\n`;
  writeFileSync(part, text, { flag: 'wx' });
  renameSync(part, path);
  const written = configIn(dirname(path), surroundings.env);
  if (before !== null && written?.digest === digestOf(text)) allowOwn(written, settings, before, surroundings);
}

/** Null if this user has allowed nothing of the file. */
function allowedBefore({ realPath, digest }: Config, { env }: Surroundings): readonly string[] | null {
  const found = new Consents(env).find({ kind: 'config', path: realPath, digest, requests: [] });
  return found?.kind === 'config' ? found.requests : null;
}

/** If the user's records cannot be written, as in a container without a home folder, a later command asks again. */
function allowOwn(written: Config, added: Settings, before: readonly string[], { env }: Surroundings): void {
  const all = requestsOf(written, env);
  const own = all.filter(({ setting }) => Object.keys(added).includes(setting));
  const consent = consentToConfig(written, own);
  try {
    new Consents(env).give({ ...consent, requests: [...before, ...consent.requests] });
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === undefined) throw fault;
  }
}

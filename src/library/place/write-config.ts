// What `icecore init` writes into an icecore.config.json.
import { renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readRegularFile } from '../../base/regular-file.ts';
import { Consents, digestOf } from '../consent/consents.ts';
import { consentToConfig } from '../consent/gate.ts';
import type { Surroundings } from '../session.ts';
import { type Config, configIn, maxConfigBytes, requestsOf } from './config.ts';
import { valueIn } from './settings-file.ts';

/** What may be written into them. */
export interface Settings {
  readonly ledger?: string | { readonly decisions: string; readonly evidence: string };
  readonly blobs?: string;
}

/**
 * What else is settled there stays as it is. What this user had allowed of the file stays allowed, with what is added:
 * nobody else changed it. A file that somebody else wrote is not allowed by adding to it.
 */
export function writeConfig(path: string, settings: Settings, surroundings: Surroundings): void {
  const present = configIn(dirname(path), surroundings.env);
  const before = present === null ? [] : allowedBefore(present, surroundings);
  const known = present === null ? {} : (valueIn(path, readRegularFile(path, maxConfigBytes)) as object);
  // Written beside and renamed: where the name is a symbolic link, the link is replaced and what it leads to stays.
  const part = `${path}.${process.pid}.part`;
  const text = `${JSON.stringify({ ...known, ...settings }, null, 2)}\n`;
  writeFileSync(part, text, { flag: 'wx' });
  renameSync(part, path);
  const written = configIn(dirname(path), surroundings.env);
  if (before !== null && written?.digest === digestOf(text)) allowOwn(written, settings, before, surroundings);
}

/** Null where this user has allowed nothing of the file. */
function allowedBefore({ realPath, digest }: Config, { env }: Surroundings): readonly string[] | null {
  const found = new Consents(env).find({ kind: 'config', path: realPath, digest, requests: [] });
  return found?.kind === 'config' ? found.requests : null;
}

/** Where the user's own settings cannot be written, as in a container without a home folder, a command asks again. */
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

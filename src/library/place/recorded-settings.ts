// What the code of an icecore.config returned when it ran, in the user's own records, so that commands that only read use the
// right ledger without executing code. A record belongs to one content at one path.
import { StorageFailed } from '../../base/folders.ts';
import { UserRecords } from '../../base/user-settings.ts';
import type { FoundConfig } from '../consent/gate.ts';
import type { Surroundings } from '../session.ts';
import { checkedSettings, type PlainSettings } from './settings-file.ts';

type Content = Pick<FoundConfig, 'realPath' | 'digest'>;
type Environment = Surroundings['env'];

/** Of this process, for a user whose records cannot be written, as in a container without a home folder. */
const ofThisProcess = new Map<string, PlainSettings>();

/** Null if this content has not run. */
export function recordedSettings(config: Content, env: Environment): PlainSettings | null {
  const { realPath: path, digest } = config;
  const record = recordsIn(env).read(keyOf(config)) as Readonly<Record<string, unknown>> | null;
  if (record?.['path'] === path && record['digest'] === digest) return checkedSettings(path, record['settings']);
  return ofThisProcess.get(keyOf(config)) ?? null;
}

export function recordSettings(config: Content, settings: PlainSettings, env: Environment): void {
  const { realPath: path, digest } = config;
  ofThisProcess.set(keyOf(config), settings);
  try {
    recordsIn(env).write(keyOf(config), { path, digest, settings, at: new Date().toISOString() });
  } catch (fault) {
    if (!(fault instanceof StorageFailed) && (fault as NodeJS.ErrnoException).code === undefined) throw fault;
  }
}

function recordsIn(env: Environment): UserRecords {
  return new UserRecords('settings', env);
}

function keyOf({ realPath, digest }: Content): string {
  return JSON.stringify([realPath, digest]);
}

// What a user's programs keep only to be faster, or for want of a better place.
import { homedir } from 'node:os';
import { join } from 'node:path';

export function cacheFolder(): string {
  const { env } = process;
  return env['ICECORE_CACHE'] || join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'icecore');
}

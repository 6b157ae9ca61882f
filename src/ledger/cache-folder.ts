// What a user's programs keep only to be faster, or for want of a better place.
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** A relative `XDG_CACHE_HOME` is ignored, as the XDG specification demands. */
export function cacheFolder(): string {
  const { env } = process;
  const named = env['XDG_CACHE_HOME'] ?? '';
  return env['ICECORE_CACHE'] || join(isAbsolute(named) ? named : join(homedir(), '.cache'), 'icecore');
}

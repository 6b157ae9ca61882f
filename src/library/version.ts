// The version of icecore.
import { readFileSync } from 'node:fs';

/** Reads the package's own manifest: two folders above this file in the clone, three in the built package. */
export function icecoreVersion(): string {
  for (const above of ['../../', '../../../']) {
    const found = manifestIn(new URL(above, import.meta.url));
    if (found?.name === 'icecore') return found.version;
  }
  return 'unknown';
}

function manifestIn(folder: URL): { name: string; version: string } | null {
  try {
    // biome-ignore lint/plugin: a manifest of npm, because help must not load the schemas.
    return JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as { name: string; version: string };
  } catch {
    return null;
  }
}

// Generates the JSON Schemas in schemas/json, the fingerprints of event types and docs/events.md from the event catalogue, and docs/tables.md from
// the definitions of tables. Run as a program, it writes stale files and removes those of removed types.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { published } from '../schemas/published.ts';
import { fingerprintsFile } from '../schemas/testing/fingerprints.ts';
import { eventsPage } from './events-page.ts';
import { tablesPage } from './tables-page.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** By path in the repository. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const schemas = Array.from(published(), ([file, schema]) => [`schemas/json/${file}`, text(schema)] as const);
  return new Map([
    ...schemas,
    ['schemas/fingerprints.ts', fingerprintsFile()],
    ['docs/events.md', eventsPage()],
    ['docs/tables.md', await tablesPage()],
  ]);
}

const text = (schema: unknown): string => `${JSON.stringify(schema, null, 2)}\n`;

export function staleFiles(files: ReadonlyMap<string, string>): readonly string[] {
  const stale = [...files].filter(
    ([path, text]) => !existsSync(root + path) || readFileSync(root + path, 'utf8') !== text,
  );
  return stale.map(([path]) => path);
}

/** JSON Schemas of removed types or versions. */
export function surplusFiles(files: ReadonlyMap<string, string>): readonly string[] {
  return globSync('schemas/json/*.json', { cwd: root }).filter((path) => !files.has(path));
}

if (import.meta.main) {
  const files = await generatedFiles();
  const [stale, surplus] = [staleFiles(files), surplusFiles(files)];
  for (const path of stale) {
    mkdirSync(dirname(root + path), { recursive: true });
    writeFileSync(root + path, files.get(path) ?? '');
  }
  for (const path of surplus) rmSync(root + path);
  console.error(`${files.size} files: ${stale.length} written, ${surplus.length} removed`);
}

// Writes the JSON Schemas of `--json` outputs to schemas/json/output; with --check, only reports stale ones.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { outputs } from '../schemas/output.ts';

const folder = fileURLToPath(new URL('../schemas/json/output/', import.meta.url));

/** The expected files: name and text. */
export function outputSchemas(): ReadonlyMap<string, string> {
  const files = Object.entries(outputs).map(([name, schema]) => {
    const text = JSON.stringify(
      { title: `icecore ${name.replace('-', ' ')} --json`, ...z.toJSONSchema(schema) },
      null,
      2,
    );
    return [`${fileName(name)}.json`, `${text}\n`] as const;
  });
  return new Map(files);
}

/** The stale files: missing, different, or superfluous. */
export function staleOutputSchemas(): readonly string[] {
  const wanted = outputSchemas();
  const present = new Map(filesThere().map((name) => [name, readFileSync(folder + name, 'utf8')]));
  return [...new Set([...wanted.keys(), ...present.keys()])].filter((name) => wanted.get(name) !== present.get(name));
}

function write(): void {
  mkdirSync(folder, { recursive: true });
  const wanted = outputSchemas();
  for (const name of filesThere()) if (!wanted.has(name)) rmSync(folder + name);
  for (const [name, text] of wanted) writeFileSync(folder + name, text);
}

function filesThere(): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function fileName(name: string): string {
  return name.toLowerCase();
}

if (import.meta.main) {
  if (!process.argv.includes('--check')) write();
  const stale = staleOutputSchemas();
  if (stale.length > 0) process.stderr.write(`stale: ${stale.join(', ')}; run node tools/output-schemas.ts\n`);
  process.exitCode = stale.length > 0 ? 1 : 0;
}

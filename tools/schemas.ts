// Writes what is generated: from the event catalogue the JSON Schemas in schemas/json, the fingerprints of its types
// (schemas/fingerprints.ts) and the reference docs/events.md,
// from the definitions of tables docs/tables.md. With --check it writes nothing and fails when a file is stale.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { generatedFiles } from '../schemas/generated.ts';
import { fingerprintsFile } from '../schemas/testing/fingerprints.ts';
import { tableReference } from '../src/projections/documentation.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const files = generatedFiles()
  .set('schemas/fingerprints.ts', fingerprintsFile())
  .set('docs/tables.md', await tableReference());
const stale = [...files].filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text);
const surplus = globSync('schemas/json/*.json').filter((path) => !files.has(path));

if (values.check) report();
else write();

function report(): void {
  for (const path of [...stale.map(([path]) => path), ...surplus]) console.error(`${path} is stale`);
  if (stale.length + surplus.length === 0) return;
  console.error('Run: node tools/schemas.ts');
  process.exitCode = 1;
}

function write(): void {
  for (const [path, text] of stale) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  for (const path of surplus) rmSync(path);
  console.error(`${files.size} files: ${stale.length} written, ${surplus.length} removed`);
}

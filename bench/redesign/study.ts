// The study of redesign: ten seeds times nine arms at equal budgets, in a ledger, and its table. `npm run study -- --folder study` takes most of
// an hour on two cores; the same command resumes it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { tableFrom } from './table.ts';

const { values } = parseArgs({
  options: { folder: { type: 'string', default: 'study' }, seeds: { type: 'string', default: '10' } },
});
const folder = resolve(values.folder);
const seeds = Array.from({ length: Number(values.seeds) }, (_, i) => i + 1);
mkdirSync(folder, { recursive: true });

const program = fileURLToPath(new URL('./seed-process.ts', import.meta.url));
const waiting = [...seeds];

async function work(): Promise<void> {
  for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
    const child = spawn(process.execPath, [program, folder, String(seed)], {
      stdio: ['ignore', process.stderr, 'inherit'],
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`seed ${seed} ended with code ${code}`);
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, work));
console.log(await tableFrom(folder, seeds));

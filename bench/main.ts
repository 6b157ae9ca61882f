// `npm run bench` measures everything; `npm run bench -- ledger memory` only what is named. Quote the ratios: they come
// from one run on one machine; the rates are that machine's.
import { print, type Report } from './report.ts';

const benches: Readonly<Record<string, () => Promise<readonly Report[]>>> = {
  ledger: async () => (await import('./ledger.ts')).ledgerBench(),
  startup: async () => (await import('./startup.ts')).startupBench(),
  memory: async () => (await import('./memory.ts')).memoryBench(),
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(`bench: there is no ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}`);
  process.exit(2);
}
for (const [name, bench] of Object.entries(benches)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  for (const report of await bench()) print(report);
}

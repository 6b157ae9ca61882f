// `npm run bench` measures everything; `npm run bench -- append memory` only the named benchmarks. Quote ratios, which come from one run on one
// machine; rates depend on the machine. `npm run bench -- growth --chart FILE` also draws a chart.
import { enableCompileCache } from 'node:module';
import { parseArgs } from 'node:util';
import { print, type Report } from './report.ts';

const { values, positionals: asked } = parseArgs({ options: { chart: { type: 'string' } }, allowPositionals: true });
const { chart } = values;

// As in the command: threads load compiled code.
enableCompileCache();

const benches: Readonly<Record<string, () => Promise<readonly Report[]>>> = {
  ledger: async () => (await import('./ledger.ts')).ledgerBench(),
  append: async () => (await import('./ledger.ts')).appendBench(),
  single: async () => (await import('./ledger.ts')).singleBench(),
  read: async () => (await import('./ledger.ts')).readBench(),
  large: async () => (await import('./large.ts')).largeBench(),
  verify: async () => (await import('./trust.ts')).verifyBench(),
  seal: async () => (await import('./trust.ts')).sealBench(),
  copy: async () => (await import('./trust.ts')).copyBench(),
  startup: async () => (await import('./startup.ts')).startupBench(),
  solve: async () => (await import('./lake/solve.ts')).solveBench(),
  judge: async () => (await import('./lake/judge.ts')).judgeBench(),
  generate: async () => (await import('./lake/generate.ts')).generateBench(),
  rollouts: async () => (await import('./training/speed.ts')).rolloutBench(),
  training: async () => (await import('./training/speed.ts')).trainingBench(),
  recording: async () => (await import('./recording.ts')).recordingBench(),
  plugins: async () => (await import('./plugins.ts')).pluginsBench(),
  demo: async () => (await import('./demo.ts')).demoBench(),
  learning: async () => (await import('./training/learning.ts')).learningBench(),
  effects: async () => (await import('./training/effects.ts')).effectsBench(),
  projection: async () => (await import('./projection/main.ts')).projectionBench(),
  visible: async () => (await import('./projection/visibility.ts')).visibleBench(),
  growth: async () => (await import('./projection/growth.ts')).growthBench(chart),
  why: async () => (await import('./why.ts')).whyBench(),
  contexts: async () => (await import('./ablation/contexts.ts')).contextsBench(),
  ablation: async () => (await import('./ablation/deciding.ts')).ablationBench(),
  compare: async () => (await import('./compare.ts')).compareBench(),
  story: async () => (await import('./story.ts')).storyBench(),
  export: async () => (await import('./export.ts')).exportBench(),
  kafka: async () => (await import('./kafka/main.ts')).kafkaBench(),
  'split-tables': async () => (await import('./kafka/tables.ts')).splitTablesBench(),
  eventstore: async () => (await import('./eventstore/main.ts')).eventStoreBench(),
  server: async () => (await import('./server.ts')).serverBench(),
  page: async () => (await import('./page.ts')).pageBench(),
  workers: async () => (await import('./workers/main.ts')).workersBench(),
  memory: async () => (await import('./memory.ts')).memoryBench(),
};

const withPeers = asked.length === 0 || asked.includes('peers');
const unknown = asked.filter((name) => name !== 'peers' && !(name in benches));
if (unknown.length > 0) {
  console.error(`bench: unknown: ${unknown.join(', ')}; available: ${[...Object.keys(benches), 'peers'].join(', ')}`);
  process.exit(2);
}
for (const [name, bench] of Object.entries(benches)) {
  if (asked.length > 0 ? !asked.includes(name) : name === 'ledger') continue;
  for (const report of await bench()) print(report);
}
if (withPeers) {
  const { peers, printPeers } = await import('./peers/run.ts');
  printPeers(await peers());
}

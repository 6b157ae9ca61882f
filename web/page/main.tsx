import { render } from 'preact';
import { Shell, type Views } from './shell.tsx';

const views: Views = {
  runs: async () => (await import('./views/runs.tsx')).Runs,
  run: async () => (await import('./views/run.tsx')).Run,
  why: async () => (await import('./views/why.tsx')).WhyView,
  rollouts: async () => (await import('./views/rollouts.tsx')).Rollouts,
  rollout: async () => (await import('./views/rollout.tsx')).Rollout,
  context: async () => (await import('./views/context.tsx')).Context,
  compare: async () => (await import('./views/compare.tsx')).Compare,
  ablations: async () => (await import('./views/ablations.tsx')).Ablations,
  ablation: async () => (await import('./views/ablation.tsx')).Ablation,
  sql: async () => (await import('./views/sql.tsx')).Sql,
  live: async () => (await import('./views/live.tsx')).Live,
  adopt: async () => (await import('./views/adopt.tsx')).Adopt,
};

const root = document.getElementById('page');
if (root !== null) render(<Shell views={views} />, root);

// The page of one run without a server: opened from disk, with the answers of data.js. Its views are in one classic script, because
// browsers load no modules from disk.
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { siteStart } from '../api.ts';
import { Loading } from '../parts.tsx';
import { hrefOf } from '../router.ts';
import { Shell, type Views } from '../shell.tsx';
import '../style.css';

/** A site is about one run: its list of runs is that run. */
function Start() {
  const start = siteStart();
  useEffect(() => {
    if (start !== null) window.location.replace(hrefOf('run', start.name));
  }, []);
  return <Loading what="the run" />;
}

const views: Views = {
  runs: async () => Start,
  run: async () => (await import('../views/run.tsx')).Run,
  why: async () => (await import('../views/why.tsx')).WhyView,
  rollout: async () => (await import('../views/rollout.tsx')).Rollout,
  context: async () => (await import('../views/context.tsx')).Context,
};

const root = document.getElementById('page');
if (root !== null) render(<Shell views={views} />, root);

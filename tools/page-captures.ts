// Takes the screenshots of docs/page: `node tools/page-captures.ts FOLDER [VIEW...]`, with the folder of a workspace that has a run of several
// stages and an ablation, such as that of `npm run demo`. Every view in light and in dark, and one as on a phone.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browsing, browsing } from '../test/page/browsing.ts';

interface Capture {
  readonly name: string;
  readonly fragment: string;
  /** What shows that the view is complete. */
  readonly ready: string;
  readonly act?: 'write notes';
  readonly width?: number;
}

interface Subjects {
  readonly run: string;
  readonly stage: number;
  readonly other: string;
  readonly ablation: string;
  readonly rollout: string;
}

function capturesOf({ run, stage, other, ablation, rollout }: Subjects): readonly Capture[] {
  const query = encodeURIComponent(
    'SELECT run, stage, count(*) AS rollouts, avg(success::INT) AS solved FROM rollouts GROUP BY ALL ORDER BY ALL',
  );
  return [
    { name: 'runs', fragment: '#/', ready: 'main tbody tr' },
    { name: 'compare', fragment: `#/compare?run=${run}&run=${other}`, ready: 'main h2' },
    { name: 'run', fragment: `#/run/${run}`, ready: 'figure.chart svg' },
    { name: 'stage', fragment: `#/run/${run}@${stage}`, ready: 'main h2' },
    { name: 'why', fragment: `#/why/${run}@${stage}`, ready: 'main h2' },
    { name: 'rollouts', fragment: `#/rollouts/${run}@${stage}?success=false`, ready: 'main tbody tr' },
    { name: 'rollout', fragment: `#/rollout/${rollout}?step=3`, ready: 'img.picture' },
    { name: 'context', fragment: `#/context/${run}@${stage}`, ready: 'main h2' },
    { name: 'ablations', fragment: '#/ablations', ready: 'main tbody tr:has-text("significant")' },
    { name: 'ablation', fragment: `#/ablation/${ablation}`, ready: 'main svg' },
    { name: 'sql', fragment: `#/sql?q=${query}`, ready: 'main tbody tr' },
    { name: 'live', fragment: '#/live', ready: 'main tbody tr', act: 'write notes' },
    { name: 'adopt', fragment: `#/adopt/${run}`, ready: 'main h1' },
    { name: 'narrow-run', fragment: `#/run/${run}`, ready: 'figure.chart svg', width: 360 },
  ];
}

const folder = fileURLToPath(new URL('../docs/page/', import.meta.url));

async function subjectsIn(url: string): Promise<Subjects> {
  const rowsOf = async (sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    const asked = { method: 'POST', headers: { 'content-type': 'application/sql' }, body: sql };
    const answer = await fetch(`${url}sql`, asked);
    if (!answer.ok) throw new Error(await answer.text());
    return ((await answer.json()) as { rows: Record<string, unknown>[] }).rows;
  };
  const { rows: runs } = (await (await fetch(`${url}runs?limit=100`)).json()) as {
    rows: { name: string; done: number }[];
  };
  const [longest, next] = runs.toSorted((a, b) => b.done - a.done);
  if (longest === undefined) throw new Error('the workspace has no run');
  const { name: run, done: stage } = longest;
  const [failed] = await rowsOf(
    `SELECT id FROM rollouts WHERE run = '${run}' AND stage = ${stage} AND split = 'probe' AND NOT success AND agent_steps > 8 ORDER BY id LIMIT 1`,
  );
  const [ablated] = await rowsOf('SELECT name FROM ablations ORDER BY 1 LIMIT 1');
  return { run, stage, other: next?.name ?? run, ablation: String(ablated?.['name']), rollout: String(failed?.['id']) };
}

async function capture(
  browser: Browsing,
  { name, fragment, ready, act, width = 1280 }: Capture,
  run: string,
): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await browser.open(fragment, {
      colorScheme,
      reducedMotion: 'reduce',
      viewport: { width, height: 860 },
    });
    if (act === 'write notes') {
      await page.getByText('Connected').waitFor();
      for (const text of ['The mixture moves to larger lakes', 'Compare with uniform data'])
        browser.icecore('annotate', run, text);
    }
    await page.locator(ready).first().waitFor();
    await page.locator('.loading').first().waitFor({ state: 'detached' });
    // The folder of this server is nobody's concern.
    await page.evaluate(
      `for (const one of document.querySelectorAll('.bottom code')) one.textContent = 'sqlite:.icecore/ledger.db'`,
    );
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
    await page.context().close();
  }
}

const [workspace, ...names] = process.argv.slice(2);
if (workspace === undefined) throw new Error('usage: node tools/page-captures.ts FOLDER [VIEW...]');
mkdirSync(folder, { recursive: true });
const browser = await browsing(workspace);
try {
  const subjects = await subjectsIn(browser.url);
  const captures = capturesOf(subjects);
  for (const one of captures.filter(({ name }) => names.length === 0 || names.includes(name)))
    await capture(browser, one, subjects.run);
} finally {
  await browser.close();
}

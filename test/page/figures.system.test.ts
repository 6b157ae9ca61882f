// Every figure that opens a menu, followed to where it says it comes from: its SQL has the same value, its rollouts the same number.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browsing, browsing, hasChromium, recordedFolder } from './browsing.ts';

interface FigureShown {
  readonly text: string;
  readonly rollouts: string | null;
  readonly sql: string | null;
}

describe.skipIf(!hasChromium)('a figure', () => {
  let site: Browsing;
  let rollouts: Page;
  const totals = new Map<string, number>();
  beforeAll(async () => {
    site = await browsing(recordedFolder());
    ({ page: rollouts } = await site.open('#/'));
    site.icecore('fork', 'first@2', '--name', 'forked', '--engineer', 'rules', '--quiet');
  }, 600_000);
  afterAll(async () => await site?.close());

  it.each([
    '#/run/first',
    '#/why/forked@2?open=all',
    '#/compare?run=first&run=second&suite=agents-2-wait-25',
    '#/compare?run=first&run=second&suite=probe-holdout',
  ])('of %s is the answer to its SQL, over its rollouts', { timeout: 300_000 }, async (fragment) => {
    const { page } = await site.open(fragment);
    await page.locator('button.figure').first().waitFor();
    await page.getByText('Loading').first().waitFor({ state: 'detached' });
    const figures = await figuresOf(page);
    expect(figures.length).toBeGreaterThan(0);
    const faults: unknown[] = [];
    for (const figure of figures) faults.push(...(await contradictions(figure)));
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('of failures leads to as many rollouts', async () => {
    const { page } = await site.open('#/run/first@2');
    const failures = page.getByRole('region', { name: 'Failures by family' }).getByRole('link');
    await failures.first().waitFor();
    for (const link of spread(await failures.all(), 6)) {
      const [count] = (await link.innerText()).split(' ');
      expect(await totalOf((await link.getAttribute('href')) ?? ''), await link.innerText()).toBe(Number(count));
    }
    await page.context().close();
  });

  async function contradictions({ text, rollouts: behind, sql }: FigureShown): Promise<readonly string[]> {
    if (sql === null) return [];
    const answer = await fetch(`${site.url}sql`, {
      method: 'POST',
      headers: { 'content-type': 'application/sql' },
      body: sql,
    });
    const said = await answer.text();
    if (!answer.ok) return [`${text}: ${said}`];
    const { rows } = JSON.parse(said) as { rows: Record<string, number | null>[] };
    const [row] = rows;
    if (row === undefined || rows.length > 1) return [`${text}: ${rows.length} rows of ${sql}`];
    const [value = null] = Object.values(row).filter((one) => typeof one === 'number');
    const shown = /^([\d.]+) %/.exec(text)?.[1];
    if (shown !== undefined && (value === null || Math.abs(100 * value - Number(shown)) > 0.051))
      return [`${text}: ${value} by ${sql}`];
    const { out_of: of = null } = row;
    if (behind === null || of === null) return [];
    const total = await totalOf(behind);
    return total === Number(of) ? [] : [`${text} of ${of}: ${total} at ${behind}`];
  }

  /** How many rollouts the view at this address has. */
  async function totalOf(href: string): Promise<number> {
    const known = totals.get(href);
    if (known !== undefined) return known;
    await rollouts.goto('about:blank');
    await rollouts.goto(`${site.url}ui/${href}`);
    const words = await rollouts.getByText(/^[\d,]+ rollouts?$/).innerText();
    const total = Number(words.replace(/ .*/, '').replaceAll(',', ''));
    totals.set(href, total);
    return total;
  }
});

/** Opening a menu takes a while. */
const mostOfView = 24;

function spread<Item>(items: readonly Item[], most: number): readonly Item[] {
  const step = Math.max(1, items.length / most);
  return Array.from({ length: Math.min(items.length, most) }, (_, i) => items[Math.floor(i * step)]).filter(
    (item) => item !== undefined,
  );
}

/** Two of each kind: the others have the same query for another family, stage or run. */
const mostOfKind = 2;

async function figuresOf(page: Page): Promise<readonly FigureShown[]> {
  const found = new Map<string, FigureShown>();
  const kinds = new Map<string, number>();
  const buttons = await page.locator('button.figure:visible').all();
  for (const button of spread(buttons, mostOfView)) {
    const text = (await button.innerText()).replaceAll(/\s+/g, ' ');
    await button.click();
    const menu = page.getByRole('menu');
    await menu.waitFor();
    const rollouts = menu.getByRole('menuitem', { name: 'See its rollouts' });
    const sql = menu.getByRole('menuitem', { name: /^Copy SQL/ }).locator('code');
    const figure = {
      text,
      rollouts: (await rollouts.count()) === 0 ? null : await rollouts.getAttribute('href'),
      sql: (await sql.count()) === 0 ? null : await sql.textContent(),
    };
    await page.keyboard.press('Escape');
    const kind = `${figure.sql} ${figure.rollouts === null}`.replaceAll(/'[^']*'|\d+/g, '?');
    const same = kinds.get(kind) ?? 0;
    if (same === mostOfKind) continue;
    kinds.set(kind, same + 1);
    found.set(`${text} ${figure.sql} ${figure.rollouts}`, figure);
  }
  return [...found.values()];
}

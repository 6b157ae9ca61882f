// The list of runs and the comparison in a browser: found, sorted and selected, all of it in the address.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ndjson } from '../../src/cli/testing/events.ts';
import { eventIds } from '../../src/ledger/identity/ids.ts';
import { type Browsing, browsing, hasChromium, misfits, phone, recordedFolder, seriousFaults } from './browsing.ts';

describe.skipIf(!hasChromium)('the list of runs', () => {
  let browser: Browsing;

  beforeAll(async () => {
    browser = await browsing(recordedFolder());
  }, 600_000);
  afterAll(async () => await browser?.close());

  it('shows what each run came to, with its course and where its figures come from', async () => {
    const { page, faults } = await browser.open('#/');
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'first', exact: true }) });
    await row.getByText('completed').waitFor();
    await row.getByText('3 of 3').waitFor();
    await row.getByRole('img', { name: /valid rate over stages: from .* to / }).waitFor();
    await row.getByRole('button', { name: /%.*\[/ }).first().click();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
      'See its rollouts',
      expect.stringContaining('icecore show first@3'),
      expect.stringContaining('FROM lineage'),
    ]);
    const rollouts = await page.getByRole('menuitem', { name: 'See its rollouts' }).getAttribute('href');
    expect(rollouts).toBe('#/rollouts/first@3?split=validation');
    await page.keyboard.press('Escape');
    expect(await seriousFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('finds runs by words and tags and sorts them, and a reload shows the same', async () => {
    const { page, faults } = await browser.open('#/');
    const names = page.locator('main tbody td:nth-child(2)');
    await page.getByRole('searchbox', { name: /Search/ }).fill('lake uniform');
    await expect.poll(() => names.allInnerTexts()).toEqual(['second']);
    await page.getByRole('searchbox', { name: /Search/ }).fill('');
    await page.getByRole('combobox', { name: 'Tag' }).selectOption('page');
    await expect.poll(() => names.allInnerTexts()).toEqual(['first']);
    await page.getByRole('combobox', { name: 'Tag' }).selectOption('');
    await page.getByRole('button', { name: 'run', exact: true }).press('Enter');
    const sorted = (await names.allInnerTexts()).toSorted();
    await expect.poll(() => names.allInnerTexts()).toEqual(sorted);
    expect(page.url()).toContain('sort=name');
    await page.reload();
    await expect.poll(() => names.allInnerTexts()).toEqual(sorted);
    await page.getByRole('searchbox', { name: /Search/ }).fill('no such run');
    await page.getByRole('button', { name: 'Show all runs' }).click();
    await expect.poll(() => names.count()).toBe(sorted.length);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('shows the settings that differ among those that are shown', async () => {
    const { page, faults } = await browser.open('#/?settings=true');
    await page.getByRole('columnheader', { name: 'seed' }).waitFor();
    await page.getByRole('searchbox', { name: /Search/ }).fill('first');
    await page.getByText('have the same settings').waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('selects runs with the keyboard and compares them', async () => {
    const { page, faults } = await browser.open('#/');
    await page.getByRole('checkbox', { name: 'Select first' }).press('Space');
    await page.getByText('select another to compare').waitFor();
    await page.getByRole('checkbox', { name: 'Select second' }).press('Space');
    await page.reload();
    await page.getByRole('link', { name: 'Compare 2 runs' }).press('Enter');
    await expect.poll(() => page.url()).toContain('#/compare?run=first&run=second');
    await page.getByRole('heading', { name: /^After stage 2, compared with first/ }).waitFor();
    await page.getByRole('region', { name: 'Differences' }).getByText('inconclusive').first().waitFor();
    await page.getByRole('region', { name: 'Settings' }).getByRole('rowheader', { name: 'engineer' }).waitFor();
    await page.getByRole('img', { name: /The valid rate by stage/ }).waitFor();
    await page.getByRole('combobox', { name: 'Measure' }).selectOption('optimal');
    await page.getByRole('combobox', { name: 'Baseline' }).selectOption('second');
    await page.getByRole('heading', { name: /compared with second/ }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: /compared with second/ }).waitFor();
    await page.getByText('icecore compare first second --measure optimal --against second').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.goBack();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('shows a tag as soon as somebody adds it', async () => {
    const { page } = await browser.open('#/');
    await page.getByRole('link', { name: 'second', exact: true }).waitFor();
    browser.icecore('annotate', 'second', 'Worth a look', '--tag', 'later');
    await page.getByRole('link', { name: 'later', exact: true }).click();
    await expect.poll(() => page.locator('main tbody td:nth-child(2)').allInnerTexts()).toEqual(['second']);
    await page.context().close();
  });

  it.each(['#/', '#/?settings=true&select=first', '#/compare?run=first&run=second', '#/compare'])(
    '%s fits a phone, dark and with a screen reader',
    async (fragment) => {
      const { page, faults } = await browser.open(fragment, phone);
      await page.locator('main :is(table, .empty)').first().waitFor();
      expect(await misfits(page)).toEqual([]);
      expect(faults).toEqual([]);
      await page.context().close();
    },
  );

  it('stays quick with 2,000 runs: only the rows that are seen are drawn', async () => {
    const sent = await fetch(`${browser.url}events`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: ndjson(Array.from({ length: 2_000 }, (_, index) => startedRun(index))),
    });
    expect(await sent.text()).toContain('"appended":2000');
    const { page, faults } = await browser.open('#/');
    await page.getByText(/^2\d\d\d runs$/).waitFor();
    expect(await page.locator('main tbody tr').count()).toBeLessThan(200);
    await page.getByRole('searchbox', { name: /Search/ }).fill('many-1999');
    await expect.poll(() => page.locator('main tbody td:nth-child(2)').allInnerTexts()).toEqual(['many-1999']);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

function startedRun(index: number): Record<string, unknown> {
  const run = `many${String(index).padStart(8, '0')}`;
  return {
    ...{ id: eventIds({ run, stage: 0, kind: 1 })(0), type: 'RunStarted', version: 1, at: '2026-01-02T03:04:05.678Z' },
    ...{ actor: 'producer/run', run, stage: null, causes: [], stream: `run-${run}` },
    data: { name: `many-${index}`, environment: { name: 'lake' }, stages: 5, tags: [`group-${index % 7}`] },
  };
}

describe.skipIf(!hasChromium)('without runs', () => {
  it('the list says how to start a first one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'icecore-page-empty-'));
    const browser = await browsing(folder);
    try {
      const { page } = await browser.open('#/');
      await page.getByText('There are no runs in this ledger yet').waitFor();
      await page.getByText('icecore run --name first').waitFor();
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

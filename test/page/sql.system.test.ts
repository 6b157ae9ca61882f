// SQL in the browser: typed, completed, run, cancelled, drawn and exported; everything is in the address.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browsing, browsing, hasChromium, misfits, phone, recordedFolder } from './browsing.ts';

const sql = (query: string, more: Readonly<Record<string, string>> = {}): string =>
  `#/sql?${new URLSearchParams({ q: query, ...more })}`;
const perStage = "SELECT stage, family, valid FROM curriculum WHERE run = 'first' AND family IS NOT NULL ORDER BY ALL";
const editorOf = (page: Page) => page.getByRole('textbox', { name: 'SQL query' });
const resultOf = (page: Page) => page.getByRole('region', { name: 'Result', exact: true }).first();
const exported = async (page: Page, form: string): Promise<Buffer> => {
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: form, exact: true }).click();
  return readFileSync(await (await waiting).path());
};

describe.skipIf(!hasChromium)('SQL in the browser', () => {
  let browser: Browsing;
  beforeAll(async () => {
    browser = await browsing(recordedFolder());
  });
  afterAll(async () => await browser?.close());

  it('says what to type where nothing was asked, and completes tables and columns with what they mean', async () => {
    const { page, faults } = await browser.open('#/sql');
    await page.getByText('No query has run yet').waitFor();
    await page.locator('.tables').getByText('curriculum').waitFor();
    const info = page.locator('.cm-completionInfo');
    await page.locator('.code-mirror .cm-content').click();
    await page.keyboard.type('FROM curr');
    await info.getByText('family stage by stage').waitFor();
    await page.getByRole('option', { name: 'curriculum' }).click();
    await expect.poll(async () => await editorOf(page).textContent()).toBe('FROM curriculum');
    await page.keyboard.type(' SELECT valid_h');
    await info.getByText('the upper end').waitFor();
    await page.getByRole('option', { name: /^valid_high/ }).click();
    await page.keyboard.press('Control+Enter');
    await resultOf(page).locator('table').waitFor();
    expect(decodeURIComponent(page.url()).replaceAll('+', ' ')).toContain('q=FROM curriculum SELECT valid_high');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('shows types: numbers at the right, lists and structs as JSON, NULL as itself', async () => {
    const { page } = await browser.open(
      sql("SELECT 0.1 + 0.2 AS sum, [1, 2] AS list, {a: 'x'} AS struct, NULL::TEXT AS none, '' AS empty"),
    );
    const cells = resultOf(page).locator('tbody td');
    await expect
      .poll(async () => await cells.allTextContents())
      .toEqual(['1', '0.3', '[1,2]', '{"a":"x"}', 'NULL', '']);
    expect(await cells.nth(1).getAttribute('class')).toBe('right');
    await page.getByRole('button', { name: 'Row 1 in full' }).click();
    expect(await page.getByRole('region', { name: 'Row 1 in full' }).textContent()).toContain('"a": "x"');
    await page.reload();
    await page.getByRole('region', { name: 'Row 1 in full' }).waitFor();
    await page.context().close();
  });

  it('shows an error at its line and column, and goes there', async () => {
    const { page, faults } = await browser.open(sql('SELECT stage,\n  nope\nFROM stages'));
    await page.getByText('Line 2, column 3: there is no column "nope".').waitFor();
    expect(await page.locator('.cm-fault').textContent()).toBe('nope');
    expect(await page.locator('.cm-fault-message').textContent()).toContain('there is no column "nope"');
    await page.getByRole('button', { name: 'Go to line 2, column 3' }).click();
    await page.keyboard.press('Shift+End');
    await page.keyboard.type('valid');
    await expect.poll(async () => await page.locator('.cm-fault').count()).toBe(0);
    await page.keyboard.press('Control+Enter');
    await resultOf(page).locator('table').waitFor();
    // The browser reports the status of the refused query by itself.
    expect(faults.filter((fault) => !fault.startsWith('Failed to load resource'))).toEqual([]);
    await page.context().close();
  });

  it('cancels a query, and the next one runs', async () => {
    const { page } = await browser.open(sql('SELECT count(*) FROM range(1000000) AS a, range(1000000) AS b'));
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled').waitFor();
    await page.goto(`${browser.url}ui/${sql('SELECT 42 AS answer')}`);
    await resultOf(page).getByText('42').waitFor();
    await page.context().close();
  });

  it('draws a line, bars or dots, as the address says, and asks to aggregate what is too much', async () => {
    const { page, faults } = await browser.open(
      sql(perStage, { chart: 'line', x: 'stage', y: 'valid', series: 'family' }),
    );
    const chart = page.getByRole('img', { name: 'valid by stage' });
    await chart.waitFor();
    expect(await page.getByRole('region', { name: 'Chart of the result' }).locator('.legend li').count()).toBe(8);
    await page.getByRole('combobox', { name: 'Chart' }).selectOption('bar');
    await expect.poll(() => page.url()).toContain('chart=bar');
    await page.getByText('A bar chart with').waitFor();
    await page.reload();
    await page.getByText('A bar chart with').waitFor();
    await page.goto(
      `${browser.url}ui/${sql('SELECT i AS x, i % 7 AS y FROM range(5000) AS t(i)', { chart: 'scatter' })}`,
    );
    await page.getByText('5,000 marks are too many to read').waitFor();
    await page.getByRole('button', { name: 'Put this into the editor' }).click();
    await expect.poll(async () => await editorOf(page).textContent()).toContain('GROUP BY');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('scrolls a hundred thousand rows, of which few are drawn, and says where a result was cut', async () => {
    const { page } = await browser.open(sql("SELECT i, 'text ' || i AS words FROM range(100001) AS t(i)"));
    await page.getByText('These are the first 100,000 rows of the result').waitFor();
    const grid = page.getByRole('region', { name: 'Result', exact: true }).last();
    await grid.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await grid.getByText('text 99999').waitFor();
    expect(await grid.locator('tbody tr').count()).toBeLessThan(120);
    await page.getByRole('button', { name: /^i/ }).click();
    await expect.poll(() => page.url()).toContain('sort=');
    await page.context().close();
  });

  it('exports what is shown as CSV and JSON, and everything as Arrow', async () => {
    const { page } = await browser.open(sql('SELECT 1 AS one, \'a, "b"\' AS text, NULL AS none, [1] AS list'));
    await resultOf(page).locator('table').waitFor();
    expect((await exported(page, 'CSV')).toString()).toBe('one,text,none,list\n1,"a, ""b""",,[1]\n');
    expect(JSON.parse((await exported(page, 'JSON')).toString())).toEqual([
      { one: 1, text: 'a, "b"', none: null, list: [1] },
    ]);
    const { tableFromIPC } = await import('apache-arrow');
    expect(tableFromIPC(await exported(page, 'Arrow')).numRows).toBe(1);
    await page.context().close();
  });

  it('keeps the way back, recent queries, and the questions of the cookbook', async () => {
    const { page } = await browser.open(sql('SELECT 1 AS one'));
    await resultOf(page).getByRole('button', { name: /^one/ }).waitFor();
    await page.getByText('Questions to start from').click();
    await page.getByRole('button', { name: 'How did each family do, stage by stage?' }).click();
    await expect.poll(async () => await editorOf(page).textContent()).toContain('PIVOT');
    await resultOf(page)
      .getByRole('button', { name: /^position/ })
      .waitFor();
    await page.goBack();
    await expect.poll(async () => await editorOf(page).textContent()).toBe('SELECT 1 AS one');
    await page.getByText('Recent queries').click();
    await page.getByRole('button', { name: /^PIVOT/ }).click();
    await expect.poll(async () => await editorOf(page).textContent()).toContain('PIVOT');
    await page.context().close();
  });

  it('asks no question of the cookbook before it knows the runs', async () => {
    const { page } = await browser.open('#/sql');
    const { promise: known, resolve: tell } = Promise.withResolvers<void>();
    await page.route('**/runs?limit=200', async (route) => {
      await known;
      await route.continue();
    });
    await page.getByText('Questions to start from').click();
    const question = page.getByRole('button', { name: 'How did each family do, stage by stage?' });
    await question.waitFor();
    expect(await question.isDisabled()).toBe(true);
    tell();
    await question.click();
    await expect.poll(() => decodeURIComponent(page.url())).toMatch(/run(\+|%20| )=(\+|%20| )'\w+'/);
    await page.context().close();
  });

  it('finds a table by one of its columns, inserts the column and shows the rows', async () => {
    const { page } = await browser.open('#/sql');
    await page.getByPlaceholder('Find a table or a column').fill('learning_signal');
    await page.getByRole('button', { name: 'Insert learning_signal' }).first().click();
    await expect.poll(async () => await editorOf(page).textContent()).toContain('learning_signal');
    await page.getByPlaceholder('Find a table or a column').fill('lineage');
    await page.locator('summary').filter({ hasText: 'lineage' }).click();
    await page.getByRole('button', { name: 'Show rows' }).click();
    await resultOf(page).locator('table').waitFor();
    expect(page.url()).toContain('lineage');
    await page.context().close();
  });

  it('an answer wider than a phone scrolls by itself', async () => {
    const { page } = await browser.open(sql('FROM runs'), phone);
    await resultOf(page).locator('table').waitFor();
    expect(await misfits(page)).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('has no serious fault of accessibility and fits: %s, %i', async (colorScheme, width) => {
    const options = { colorScheme, viewport: { width, height: 800 } };
    const { page } = await browser.open(sql(perStage, { chart: 'line', x: 'stage', y: 'valid' }), options);
    await page.getByRole('img', { name: 'valid by stage' }).waitFor();
    await page.locator('.code-mirror .cm-content').waitFor();
    expect(await misfits(page)).toEqual([]);
    await page.context().close();
  });
});

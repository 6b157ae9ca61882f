// What the page says about its server, and about what is not there yet.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browsing, browsing, hasChromium, iceprogram, recordedFolder } from './browsing.ts';

const small = ['--stages', '1', '--budget', '20k', '--validation-tasks', '20', '--probe-tasks', '2', '--quiet'];

describe.skipIf(!hasChromium)('a view of a run that has not begun', () => {
  let site: Browsing;
  beforeAll(async () => {
    site = await browsing(recordedFolder());
  }, 300_000);
  afterAll(async () => await site?.close());

  it('shows the run when it begins', { timeout: 120_000 }, async () => {
    const views = await Promise.all(
      ['#/run/later', '#/why/later@1', '#/rollouts/later', '#/adopt/later'].map((view) => site.open(view)),
    );
    for (const { page } of views) await page.getByText('There is no run "later"').first().waitFor();
    site.icecore('run', '--name', 'later', ...small);
    for (const { page } of views)
      await page.getByText('There is no run "later"').first().waitFor({ state: 'detached' });
  });
});

describe.skipIf(!hasChromium)('while the server is away', () => {
  let site: Browsing;
  let again: ChildProcess | null = null;
  beforeAll(async () => {
    site = await browsing(recordedFolder());
  }, 300_000);
  afterAll(async () => {
    again?.kill();
    await site?.close();
  });

  it('every view says so, until the server is back', { timeout: 120_000 }, async () => {
    const away = 'The server does not answer: what is shown may be old. Trying again.';
    const { page: run } = await site.open('#/run/first');
    const { page: sql } = await site.open('#/sql?q=SELECT 42 AS answer');
    await run.getByText('3 of 3').waitFor();
    await sql.getByText('1 row, 1 column').waitFor();
    site.server.kill();
    await once(site.server, 'exit');
    await run.getByText(away).waitFor();
    await sql.getByRole('button', { name: 'Run', exact: true }).click();
    await sql.getByText('Start icecore serve again; then repeat this.').waitFor();
    await sql.getByText(away).waitFor();
    const { port } = new URL(site.url);
    again = spawn(process.execPath, [iceprogram, 'serve', '--port', port, '--quiet'], {
      cwd: site.cwd,
      stdio: 'ignore',
    });
    for (const page of [run, sql]) await page.getByText(away).waitFor({ state: 'detached' });
  });
});

describe.skipIf(!hasChromium)('a token', () => {
  let site: Browsing;
  const write = (file: string, token: string): void => {
    const tokens = [{ name: 'me', access: 'read', token }];
    writeFileSync(`${file}.new`, JSON.stringify({ tokens }), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  const [first, second] = ['1'.repeat(40), '2'.repeat(40)];
  const file = join(recordedFolder(), '..', 'page-tokens.json');
  beforeAll(async () => {
    write(file, first);
    site = await browsing(recordedFolder(), '--tokens', file);
  }, 300_000);
  afterAll(async () => await site?.close());

  it('that is wrong is refused in words, and one that is replaced is asked for again', {
    timeout: 120_000,
  }, async () => {
    const { page } = await site.open('#/run/first');
    const enter = async (token: string): Promise<void> => {
      await page.getByLabel('Token').fill(token);
      await page.getByRole('button', { name: 'Continue' }).click();
    };
    await page.getByLabel('Token').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await enter('wrong');
    await page.getByText('The token is not valid.').waitFor();
    await enter(first);
    await page.getByText('3 of 3').waitFor();
    write(file, second);
    await page.getByRole('link', { name: 'Ablations' }).click();
    await expect
      .poll(
        async () => {
          await page.getByRole('link', { name: 'Runs' }).click();
          await page.getByRole('link', { name: 'Ablations' }).click();
          return await page.getByLabel('Token').count();
        },
        { timeout: 30_000 },
      )
      .toBe(1);
    await enter(second);
    await page.getByRole('heading', { level: 1, name: 'Ablations' }).waitFor();
  });
});

// A person decides the next configuration on the page: edits, justifies, cites, adopts; two at once; with a token that may only read.
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Why } from '../../schemas/why-output.ts';
import { type Browsing, browsing, hasChromium, misfits, phone, recordedFolder, seriousFaults } from './browsing.ts';
import { literal, patient } from './waiting.ts';

const small = [
  ...['--budget', '2k', '--suite', 'none', '--validation-tasks', '20', '--probe-tasks', '1'],
  ...['--jobs', '1', '--quiet'],
];

/** A run that waits for a person to decide stage 2. */
function waitingRun(site: Browsing, name: string, seed: string): void {
  site.icecore('run', '--name', name, '--engineer', 'human', '--stages', '3', '--seed', seed, ...small);
}

async function change(page: Page, knob: string, value: string): Promise<void> {
  await page.getByLabel(new RegExp(`^${literal(knob)} `)).fill(value);
}

async function adopt(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Adopt for stage 2 …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Adopt', exact: true }).click();
}

describe.skipIf(!hasChromium)('a person who decides on the page', () => {
  let site: Browsing;
  beforeAll(async () => {
    site = await browsing(recordedFolder());
    waitingRun(site, 'alone', '11');
    waitingRun(site, 'together', '12');
  }, 300_000);
  afterAll(async () => await site.close());

  it('edits knobs, says why, cites evidence, sees the differences and adopts', async () => {
    const { page, faults } = await site.open('#/adopt/alone');
    await page.getByText('The run waits for this decision.').waitFor();
    await change(page, '8.hole', '0.9');
    await page.getByText('allowed: 0 to 0.4').waitFor();
    await change(page, '8.hole', '0.05');
    await page.getByLabel('Reason for 8.hole').fill('too many falls');
    await page.getByLabel('Evidence ids', { exact: true }).fill('B8.valid Z9');
    await page.getByText('Not shown in the context, so not citable: Z9.').waitFor();
    await page.getByLabel('Evidence ids', { exact: true }).fill('B8.valid');
    await change(page, '3.data', '0.3');
    await page.getByRole('button', { name: 'Scale the others' }).click();
    await page.getByLabel('Reason for the whole').fill('easier tasks first');
    await page.getByLabel('Your name').fill('ada');
    expect(await seriousFaults(page)).toEqual([]);
    await page.reload();
    expect(await page.getByLabel('Reason for 8.hole').inputValue()).toBe('too many falls');
    await page.getByRole('button', { name: 'Adopt for stage 2 …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('8.hole').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.count(), patient).toBe(0);
    await adopt(page);
    await page.getByRole('heading', { level: 1, name: 'Stage 2 of alone is decided' }).waitFor();
    await page.getByText('icecore resume alone').waitFor();
    const why = JSON.parse(site.icecore('why', 'alone@2', '--json')) as Why;
    expect(why.decision).toMatchObject({ by: 'human', who: 'human/ada', says: 'easier tasks first' });
    const hole = why.changes.find(({ knob }) => knob === '8.hole');
    expect(hole).toMatchObject({
      from: 0.15,
      to: 0.05,
      says: 'too many falls',
      cites: ['B8.valid'],
      restsOn: 'its family',
    });
    expect(faults).toEqual([]);
  });

  it('learns that somebody else decided at the same time, and loses nothing', async () => {
    const [one, other] = [await site.open('#/adopt/together'), await site.open('#/adopt/together')];
    for (const [{ page }, value, reason] of [
      [one, '0.05', 'fewer holes'],
      [other, '0.25', 'more holes'],
    ] as const) {
      await change(page, '8.hole', value);
      await page.getByLabel('Reason for 8.hole').fill(reason);
    }
    await Promise.all([adopt(one.page), adopt(other.page)]);
    const decided = (page: Page): Promise<boolean> =>
      Promise.race([
        page
          .getByRole('heading', { name: 'Stage 2 of together is decided' })
          .waitFor()
          .then(() => true),
        page
          .getByText('Somebody else decided meanwhile.')
          .waitFor()
          .then(() => false),
      ]);
    const outcomes = await Promise.all([decided(one.page), decided(other.page)]);
    expect(outcomes.toSorted()).toEqual([false, true]);
    const [loser, reason] = outcomes[0] ? ([other, 'more holes'] as const) : ([one, 'fewer holes'] as const);
    await loser.page.getByText('Nothing can be decided now').waitFor();
    expect(await loser.page.getByLabel('Reason for 8.hole').inputValue()).toBe(reason);
    expect(await loser.page.getByRole('button', { name: 'Adopt for stage 2 …' }).isDisabled()).toBe(true);
    await loser.page.reload();
    await loser.page.getByText('Nothing can be decided now').waitFor();
    expect(await loser.page.getByLabel('Reason for 8.hole').inputValue()).toBe(reason);
    await loser.page.getByText('icecore fork together@2 --engineer human').waitFor();
    const why = JSON.parse(site.icecore('why', 'together@2', '--json')) as Why;
    expect(why.changes.map(({ knob, to }) => [knob, to])).toEqual([['8.hole', outcomes[0] ? 0.05 : 0.25]]);
  });

  it('learns why nothing can be decided', async () => {
    const { page, faults } = await site.open('#/adopt/first');
    await page.getByText('Nothing can be decided now').waitFor();
    await page.getByText(/first is completed|is the last of first/).waitFor();
    expect(await page.getByRole('button', { name: /^Adopt for/ }).count()).toBe(0);
    expect(await seriousFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('fits a phone, in the dark', async () => {
    waitingRun(site, 'phone', '13');
    const { page, faults } = await site.open('#/adopt/phone', phone);
    await change(page, '8.hole', '0.05');
    await page.getByLabel('Reason for 8.hole').waitFor();
    expect(await misfits(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});

describe.skipIf(!hasChromium)('a person whose token may only read', () => {
  const token = 'r'.repeat(40);
  let site: Browsing;
  beforeAll(async () => {
    const tokens = join(tmpdir(), `icecore-tokens-${process.pid}.json`);
    writeFileSync(tokens, JSON.stringify({ tokens: [{ name: 'reader', access: 'read', token }] }), { mode: 0o600 });
    site = await browsing(recordedFolder(), '--tokens', tokens);
    waitingRun(site, 'readonly', '14');
  }, 300_000);
  afterAll(async () => await site.close());

  it('prepares a decision and learns that it cannot be adopted', async () => {
    const { page } = await site.open('#/adopt/readonly');
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Your token may only read.').waitFor();
    await change(page, '8.hole', '0.05');
    expect(await page.getByRole('button', { name: 'Adopt for stage 2 …' }).isDisabled()).toBe(true);
  });
});

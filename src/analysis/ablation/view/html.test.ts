import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import { payload } from '../../report/testing/hostile.ts';
import { factorial, oneRunAsked, spoilt, stopped, tenSeedsTrained, withAsides } from '../testing/ablations.ts';
import { ablationDocument, ablationHtml } from './document.ts';

const ten = withAsides(tenSeedsTrained());

function opened(html: string) {
  const { document } = parseHTML(html);
  return { document, text: document.body.textContent ?? '' };
}

describe('the page of an ablation', () => {
  const { document, text } = opened(ablationHtml(ten));

  it('has the sections of the terminal output in the same order', () => {
    const headings = ablationDocument(ten).sections.flatMap(({ title }) => title ?? []);
    expect([...document.querySelectorAll('h2')].map((one) => one.textContent)).toEqual(headings);
    for (const conclusion of ten.conclusions) expect(text).toContain(conclusion);
  });

  it('draws the matrix with every arm, and the differences', () => {
    const [matrix, intervals] = document.querySelectorAll('figure.chart');
    const drawn = matrix?.querySelector('.wide svg')?.textContent ?? '';
    for (const name of ['rules', 'base', 'checkpoint', 'failures', 'combined', 'actual', 'schedule'])
      expect(drawn).toContain(name);
    for (const { arm, value } of ten.results.filter((one) => one.measure === 'validation' && one.statistic === 'mean'))
      expect(drawn, arm).toContain((100 * Number(value)).toFixed(1));
    expect(intervals?.querySelectorAll('.wide svg circle').length).toBeGreaterThan(10);
    expect(text).not.toContain('▁');
    expect(document.querySelector('svg')?.outerHTML).not.toMatch(/NaN|undefined|Infinity/);
  });

  it.each([
    ['of one seed has only the matrix', oneRunAsked, 1],
    ['of a factorial also has the differences', factorial, 2],
    ['that is not finished has both', stopped, 2],
  ])('%s', (_, made, charts) => {
    const page = opened(ablationHtml(made())).document;
    expect(page.querySelectorAll('figure.chart').length).toBe(charts);
  });

  it('without any value has tables but no charts', () => {
    const nothing = { ...oneRunAsked(), values: [], results: [], comparisons: [] };
    const page = opened(ablationHtml(nothing));
    expect(page.document.querySelectorAll('figure.chart').length).toBe(0);
    expect(page.text).toContain('no value');
  });

  it('has no scripts, frames or images from hostile names', () => {
    const hostile = opened(ablationHtml(spoilt(ten, payload))).document;
    expect(hostile.querySelectorAll('script, img, iframe, object, embed, base').length).toBe(0);
    expect(hostile.querySelectorAll('style').length).toBe(document.querySelectorAll('style').length);
    expect(hostile.body.textContent).toContain('<script>');
    expect(ablationHtml(spoilt(ten, payload))).not.toContain('\u202e');
  });
});

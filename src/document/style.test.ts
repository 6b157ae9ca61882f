import { describe, expect, it } from 'vitest';
import { heatTurn } from '../../web/charts/colours.ts';
import { style } from './style.ts';

type Colour = readonly [number, number, number];

function coloursIn(block: string): ReadonlyMap<string, Colour> {
  const found = block.matchAll(/--([a-z0-9-]+):#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/g);
  const parts = (digits: readonly (string | undefined)[]): Colour => {
    const [red = 0, green = 0, blue = 0] = digits.map((two) => Number.parseInt(two ?? '', 16));
    return [red, green, blue];
  };
  return new Map(Array.from(found, ([, name = '', ...digits]) => [name, parts(digits)]));
}

/** The relative luminance of WCAG. */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: Colour, b: Colour): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

function mixed(from: Colour, to: Colour, share: number): Colour {
  const part = (i: 0 | 1 | 2): number => from[i] + (to[i] - from[i]) * share;
  return [part(0), part(1), part(2)];
}

const [, day = '', night = ''] = style.split(/:root\{/);

describe.each([
  ['by day', coloursIn(day.split('}')[0] ?? '')],
  ['by night', coloursIn(night.split('}')[0] ?? '')],
])('colours %s', (_, colours) => {
  const of = (name: string): Colour => colours.get(name) ?? [0, 0, 0];
  const texts = [...colours.keys()].filter((name) => /^(ink|soft|link|warn|good|alarm|series-.+)$/.test(name));

  it.each(texts)('have enough contrast on the page and on panels: %s', (name) => {
    expect(texts.length).toBeGreaterThan(12);
    for (const ground of ['page', 'panel']) expect(contrast(of(name), of(ground))).toBeGreaterThan(4.5);
  });

  it('of figures in a heat map have enough contrast at every strength', () => {
    for (let share = 0; share <= 1; share += 0.01) {
      const text = of(share < heatTurn ? 'on-pale' : 'on-heat');
      for (const end of ['heat', 'heat-worse'])
        expect(contrast(text, mixed(of('page'), of(end), share))).toBeGreaterThan(4.5);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { element, escaped, figure, figures } from './svg-markup.ts';

describe('markup', () => {
  it('escapes markup in texts and attributes', () => {
    expect(element('text', { id: `"'<&>` }, escaped('a < b & c'))).toBe(
      '<text id="&#34;&#39;&#60;&#38;&#62;">a &#60; b &#38; c</text>',
    );
  });

  it('replaces characters that XML does not allow', () => {
    expect(escaped('a\u0000b\ud800c\uffffd\te😀')).toBe('a\ufffdb\ufffdc\ufffdd\te😀');
  });

  it('rounds numbers to a tenth and separates coordinates minimally', () => {
    expect([0.04, -0.04, 12.349, 7].map(figure)).toEqual(['0', '0', '12.3', '7']);
    expect(figures(1, -2, 3.05, 0)).toBe('1-2 3.1 0');
  });
});

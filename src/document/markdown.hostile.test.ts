// Texts in a document that are long and made to be looked through again and again.
import { describe, expect, it } from 'vitest';
import { code, paragraph, strong, type Words } from './document.ts';
import { markdownText } from './markdown.ts';

const spaces = ' '.repeat(400_000);

function markdownWith(...words: Words): string {
  return markdownText({ title: 'a', blocks: [paragraph(...words)], sections: [] });
}

describe('a text of a document', () => {
  it('is read once, whatever spaces it has', () => {
    expect(markdownWith(strong(`x${spaces}x`))).toContain(`**x${spaces}x**`);
    expect(markdownWith('a', strong(`  x y\n`), 'b')).toContain('a  **x y**\nb');
    expect(markdownWith('a', strong(' \n '), 'b')).toContain('a \n b');
  });

  it('may have as many quotation marks of code as it likes', () => {
    expect(markdownWith(code('`x'.repeat(400_000)))).toContain('``');
  });
});

// Long texts that would take quadratic time if they were scanned repeatedly.
import { describe, expect, it } from 'vitest';
import { code, paragraph, strong, type Words } from './document.ts';
import { markdownText } from './markdown.ts';

const spaces = ' '.repeat(400_000);

function markdownWith(...words: Words): string {
  return markdownText({ title: 'a', blocks: [paragraph(...words)], sections: [] });
}

describe('a text of a document', () => {
  it('may have any number of spaces in and around emphasis', () => {
    expect(markdownWith(strong(`x${spaces}x`))).toContain(`**x${spaces}x**`);
    expect(markdownWith('a', strong(`  x y\n`), 'b')).toContain('a  **x y**\nb');
    expect(markdownWith('a', strong(' \n '), 'b')).toContain('a \n b');
  });

  it('may have any number of backticks in code', () => {
    expect(markdownWith(code('`x'.repeat(400_000)))).toContain('``');
  });
});

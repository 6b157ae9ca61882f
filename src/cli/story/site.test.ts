// The data of a site as a script: no text can break out of it.
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scriptOf } from './site.ts';

function readBack(script: string): unknown {
  const window: { icecoreAnswers?: unknown } = {};
  runInNewContext(script, { window, JSON });
  return window.icecoreAnswers;
}

it.each([
  '</script><script>alert(1)</script>',
  '<!--',
  ']]>',
  "';alert(1);'",
  '\\',
  '\u2028',
  '\u2029',
  '\ud800',
  '"',
  '\n',
])('the script of a site preserves the text %j', (text) => {
  const script = scriptOf({ [text]: text });
  expect(script).not.toMatch(/<|>|\u2028|\u2029/);
  expect(script.trimEnd()).not.toContain('\n');
  expect(JSON.stringify(readBack(script))).toBe(JSON.stringify({ [text]: text }));
});

it('the script of a site preserves special keys such as __proto__', () => {
  const answers: unknown = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}');
  expect(JSON.stringify(readBack(scriptOf(answers)))).toBe(JSON.stringify(answers));
});

it('the script of a site preserves any JSON value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.stringify(readBack(scriptOf(value)))).toBe(JSON.stringify(value));
    }),
  );
});

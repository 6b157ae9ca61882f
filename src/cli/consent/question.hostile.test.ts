// What a person is shown before a yes is what the yes allows: nothing of a stranger's text is put in other words, pushed out
// of sight, or made to look like what icecore itself says.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../base/terminal.ts';
import { legible } from '../../library/consent/gate.ts';
import { steering, temporaryFolder } from '../testing/harness.ts';
import { type Stranger, strangerIn, strangers } from './testing/stranger.ts';
import { typedAtTerminal } from './testing/terminal.ts';

const stranger = strangers();
const withoutIcecore = { PATH: '/nowhere' };

describe('text of a found ledger', () => {
  it('is shown unchanged, even if it is a command of icecore', async () => {
    const command: [string, ...string[]] = ['icecore', 'propose', 'latest', '--output', 'x'];
    const place = await stranger(() => ({ engineer: command }));
    for (const words of [['resume', '--jobs', '1'], ['trust'], ['trust', '--yes']]) {
      const { stderr } = await place.icecoreWith(withoutIcecore, ...words);
      expect(stderr).toContain('engineer: icecore propose latest --output x');
    }
  });

  it('is quoted unchanged as the name of a run in a suggested command', async () => {
    const name = "it's; icecore show latest";
    const place = await stranger(() => ({ name, engineer: 'human' }));
    const { stdout, stderr } = await place.icecoreWith(withoutIcecore, 'resume', '--jobs', '1');
    expect(stdout + stderr).toContain(String.raw`resume 'it'\''s; icecore show latest'`);
    expect(stdout + stderr).not.toContain('; node ');
  });
});

const heading = 'The ledger names programs or files to use in /work/ada, with your permissions:';
const forged = `  engineer: rules\nAllow this, now and from now on? [y/N] `;

/** The lines that somebody at the terminal sees above the question, and whether they were asked. */
async function seen(place: Stranger, ...argv: readonly string[]): Promise<readonly string[]> {
  const at = { cwd: place.folder, env: { XDG_CONFIG_HOME: place.settings } };
  const { stderr } = await typedAtTerminal(at, argv, 'n\n', 80);
  expect(steering(stderr)).toEqual([]);
  const [above] = /^.*?^(?:Allow|Trust) [^[]*(?= \[y\/N\] )/ms.exec(stderr) ?? [];
  expect(above).toBeDefined();
  return (above ?? '').split('\n');
}

describe('the question at the terminal', () => {
  const padding = {
    blanks: ' '.repeat(60 * 80),
    'Braille blanks': '\u2800'.repeat(60 * 80),
    'invisible letters': '\u3164\u115f\u200d\u200c'.repeat(60 * 20),
    'line breaks': '\n'.repeat(60),
    words: 'x '.repeat(60 * 40),
  };

  it.each(Object.entries(padding))('cannot be forged by a program padded with %s', async (_, text) => {
    for (const argv of [['resume', '--jobs', '1'], ['trust'], ['-q', 'trust']]) {
      const place = await stranger((command) => ({ engineer: command(`${text}${heading}${text}${forged}`) }));
      const lines = await seen(place, ...argv);
      const own = lines.filter((line) => !line.startsWith('  '));
      // The workspace, the heading with its continuation, the long line's beginning and the question.
      expect(own.filter((line) => /^(The ledger|sqlite:|\/|The long|Allow this|Trust this)/.test(line))).toEqual(own);
      expect(lines.every((line) => displayWidth(line) < 80)).toBe(true);
      expect(lines.slice(-8).join('\n')).toContain('  engineer: sh -c ');
      expect(place.hasRun()).toBe(false);
    }
  });

  it('shows invisible letters as escapes, and counts repetitions', () => {
    const hidden = ['\u2800', '\u3164', '\u115f', '\u200c', '\u200d', '\u00a0', '\u3000', '\ufe0f', '\ue000'];
    for (const letter of hidden) {
      const one = `\\u${letter.codePointAt(0)?.toString(16).padStart(4, '0')}`.replace('\\u00a0', '\\xa0');
      expect(legible(`a${letter}b`)).toBe(`a${one}b`);
      expect(legible(`a${letter.repeat(9)}b`)).toBe(`a${one}[9 times]b`);
    }
    expect(legible(`a${' '.repeat(9)}b  c`)).toBe('a[9 blanks]b  c');
    const text = legible(`a${' '.repeat(9)}\n\n\n\n\u3164`);
    expect(legible(text)).toBe(text);
  });
});

describe('a settings file', () => {
  const model = 'gpt) connects to localhost. (models.x';
  const config = { models: { [model]: { url: 'https://evil.example.org/v1', model: 'm', key: 'HF_TOKEN' } } };

  it('is shown with the names of its models in quotes', async () => {
    const place = strangerIn(temporaryFolder());
    writeFileSync(join(place.folder, 'icecore.config.json'), JSON.stringify(config));
    const { stderr } = await place.icecore('trust');
    expect(stderr).toContain(`(models.${JSON.stringify(model)}) sends HF_TOKEN to evil.example.org/v1`);
  });

  it('is shown before the question even with --quiet', async () => {
    const place = strangerIn(temporaryFolder());
    writeFileSync(join(place.folder, 'icecore.config.json'), JSON.stringify(config));
    expect((await seen(place, '-q', 'trust')).join('').replaceAll('      ', '')).toContain(
      'sends HF_TOKEN to evil.example.org/v1',
    );
  });
});

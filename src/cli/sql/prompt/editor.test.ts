// Editing, completing and recalling statements.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/harness.ts';
import { atPrompt, key, type Place } from './testing/typist.ts';

const { enter, up, down, left, toStart, backspace, tab } = key;

describe('a statement at the SQL prompt', () => {
  it('runs when Enter follows its semicolon, not before', async () => {
    const typist = await atPrompt();
    typist.type('select 1', enter, 'from runs', enter, ';', enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(['select 1\nfrom runs\n;']);
    await typist.until('icecore> |');
    expect(typist.seen.split('\n').slice(1)).toEqual([
      'icecore> select 1',
      '       > from runs',
      '       > ;',
      'answer to select 1 from runs ;',
      'icecore> |',
    ]);
  });

  it('may have a semicolon in a string, and the prompt of the next line shows the open quote', async () => {
    const typist = await atPrompt();
    typist.type("select 'a;", enter, 'b');
    await typist.until("      '> b|");
    typist.type("';", enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(["select 'a;\nb';"]);
  });

  it('can be edited within its current line', async () => {
    const typist = await atPrompt();
    typist.type('select run');
    typist.type(left, left, left, 'a, ', toStart, 'SQL');
    await typist.until('icecore> SQL|select a, run');
    typist.type(backspace, backspace, backspace, key.ctrl('e'), ' from runs;', enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(['select a, run from runs;']);
  });

  it('that is wider than the terminal wraps at its edge', async () => {
    const typist = await atPrompt({ columns: 20 });
    typist.type('select aaaaa, bbbbb, ccccc', toStart, 'Z');
    await typist.until('icecore> Z|select aaa\naa, bbbbb, ccccc');
    typist.type(key.ctrl('e'), '!');
    await typist.until('icecore> Zselect aaa\naa, bbbbb, ccccc!|');
  });

  it('is redrawn when the terminal becomes narrower', async () => {
    const typist = await atPrompt({ columns: 40 });
    typist.type('select a, b, c', enter, 'from runs');
    await typist.until('from runs|');
    typist.resize(25);
    typist.type(';', enter);
    await typist.until('icecore> select a, b, c\n       > from runs;\nanswer');
  });

  it('may contain any script, and Backspace deletes a whole character', async () => {
    const typist = await atPrompt();
    typist.type("select '日本語 👩‍👩‍👧é'", left, left, backspace, key.ctrl('e'), ';', enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(["select '日本語 👩‍👩‍é';"]);
  });

  it('is not run by an empty line or a command, which report the missing semicolon', async () => {
    const typist = await atPrompt();
    typist.type('select 1', enter, enter);
    await typist.until('The statement has no semicolon yet');
    typist.type('.exit', enter);
    await typist.until(() => typist.seen.split('has no semicolon yet').length === 3);
    typist.type(key.ctrl('u'), ';', enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(['select 1\n;']);
  });

  it('of only blanks, comments or semicolons is not run', async () => {
    const typist = await atPrompt();
    typist.type('  ', enter, '-- a note', enter, ';;', enter, '/* more */', enter, 'select 1;', enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(['select 1;']);
  });
});

describe('cut text', () => {
  it('is pasted with Ctrl-Y', async () => {
    const typist = await atPrompt();
    typist.type('select 1', key.ctrl('u'), 'from runs ', key.ctrl('y'), ';', enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(['from runs select 1;']);
  });

  it('is a word with Ctrl-W, the line before the cursor with Ctrl-U, after it with Ctrl-K', async () => {
    const typist = await atPrompt();
    typist.type('rest', key.ctrl('u'), 'select 1 rest of', left, left, key.ctrl('k'), key.ctrl('w'), '+ 1;', enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(['select 1 + 1;']);
  });
});

describe('Tab at the SQL prompt', () => {
  const suggested = (...suggestions: readonly string[]): Place => ({
    host: {
      complete: async (text) => suggestions.map((suggestion) => ({ suggestion, start: text.lastIndexOf(' ') + 1 })),
    },
  });

  it('completes the common prefix of the suggestions, then lists them', async () => {
    const typist = await atPrompt(suggested('rollouts', 'rollup ', 'error '));
    typist.type('select 1', enter, 'from ro', tab);
    await typist.until('       > from roll|');
    typist.type(tab);
    await typist.until(/rollouts +rollup\n+ {7}> from roll\|/);
    typist.type('o', tab);
    await typist.until('       > from rollouts|');
    typist.type(';', enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(['select 1\nfrom rollouts;']);
  });

  it('requests suggestions for the whole statement before the cursor', async () => {
    const asked: string[] = [];
    const complete = async (text: string): Promise<[]> => {
      asked.push(text);
      return [];
    };
    const typist = await atPrompt({ host: { complete } });
    typist.type('select x', enter, 'from ro where y', ...Array(8).fill(left), tab);
    await typist.until(() => asked.length === 1);
    expect(asked).toEqual(['select x\nfrom ro']);
  });

  it('completes commands', async () => {
    const typist = await atPrompt(suggested());
    typist.type('.fo', tab);
    await typist.until('icecore> .format |');
    typist.type('cs', tab);
    await typist.until('icecore> .format csv|');
  });

  it('completes tables after .schema', async () => {
    const typist = await atPrompt(suggested('rollouts', 'rollback '));
    typist.type('.schema roll', tab);
    await typist.until('icecore> .schema rollouts|');
  });

  it('indents an empty line, and does nothing if completion fails', async () => {
    let failed = 0;
    const complete = async (): Promise<[]> => {
      failed += 1;
      throw new Error('no tables yet');
    };
    const typist = await atPrompt({ host: { complete } });
    typist.type('select', enter);
    await typist.until('       > |');
    typist.type(tab);
    await typist.until('       >   |');
    typist.type('1', tab);
    await typist.until(() => failed === 1);
    typist.type(';', enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(['select\n  1;']);
  });
});

describe('earlier statements', () => {
  it('are recalled with the arrow keys, each as one line, without losing the current text', async () => {
    const typist = await atPrompt();
    typist.type('select', enter, '1;', enter, 'select 2;', enter);
    await typist.until('answer to select 2;\nicecore> |');
    typist.type('sel', up);
    await typist.until('icecore> select 2;|');
    typist.type(up);
    await typist.until('icecore> select⏎1;|');
    typist.type(enter);
    await typist.until('answer to select 1;\nicecore> |');
    expect(typist.asked.at(-1)).toBe('select\n1;');
    typist.type('sel', up, down);
    await typist.until('icecore> sel|');
  });

  it('are searched with Ctrl-R', async () => {
    const typist = await atPrompt();
    typist.type('select 1 from runs;', enter, 'select 2 from runs;', enter, 'select 3;', enter);
    await typist.until('answer to select 3;\nicecore> |');
    typist.type('RUNS', key.ctrl('r'));
    await typist.until('icecore> select 2 from runs;|');
    typist.type(key.ctrl('r'));
    await typist.until('icecore> select 1 from runs;|');
    typist.type(key.ctrl('r'));
    await typist.until('icecore> select 1 from runs;|');
    typist.type(key.ctrl('c'));
    await typist.until('^C\nicecore> |');
    typist.type('2', key.ctrl('r'), enter);
    await typist.until(() => typist.asked.length === 4);
    expect(typist.asked[3]).toBe('select 2 from runs;');
  });

  it('of all prompts, including unfinished ones, are in the history of the next prompt', async () => {
    const historyFile = join(temporaryFolder(), 'history');
    const [one, other] = [await atPrompt({ historyFile }), await atPrompt({ historyFile })];
    one.type('select 1;', enter);
    await one.until('answer');
    other.type('select', enter, '2;', enter);
    await other.until('answer');
    one.type('select unfinished', key.ctrl('d'));
    await one.code;
    const next = await atPrompt({ historyFile });
    next.type(up);
    await next.until('icecore> select unfinished|');
    next.type(up);
    await next.until('icecore> select⏎2;|');
    next.type(up);
    await next.until('icecore> select 1;|');
  });

  it('are kept for this prompt only if the history cannot be written, which is reported once', async () => {
    const historyFile = join(temporaryFolder(), 'no', 'such', 'folder');
    const typist = await atPrompt({ historyFile });
    typist.type('select 1;', enter, 'select 2;', enter);
    await typist.until('answer to select 2;');
    expect(typist.faults).toEqual([expect.objectContaining({ code: 'ENOENT' })]);
  });
});

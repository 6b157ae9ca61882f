// The prompt as a user at a terminal sees it.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { atPrompt, endless, key } from './testing/typist.ts';

const { enter, up, left, backspace } = key;

describe('pasted text', () => {
  const statements = "select 1;\n\n\tselect ';',\n\t2;\n.tables\nselect 3;\n";

  it('runs statement by statement', async () => {
    const typist = await atPrompt({ host: { complete: () => Promise.reject(new Error('a tab was taken for a key')) } });
    typist.type(statements.replaceAll('\n', '\r'));
    await typist.until('answer to select 3;');
    expect(typist.asked).toEqual(['select 1;', "select ';',\n\t2;", 'select 3;']);
  });

  it('loses its control characters', async () => {
    const typist = await atPrompt();
    typist.type('select \u0007\u001b[2J1;', enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(['select 1;']);
  });

  it('keeps running after a statement that fails', async () => {
    const ask = async (sql: string): Promise<void> => {
      if (sql.includes('wrong')) throw new IcecoreError('bad-input', 'there is no column "wrong"');
    };
    const typist = await atPrompt({ host: { ask } });
    typist.type('select wrong; select 2;', enter);
    await typist.until('there is no column "wrong"\nicecore> |');
    expect(typist.asked).toEqual(['select wrong;', 'select 2;']);
  });
});

describe('Ctrl-C', () => {
  it('stops the running statement, not the prompt', async () => {
    const typist = await atPrompt(endless());
    typist.type('select endless;', enter);
    await typist.until(() => typist.asked.length === 1);
    typist.type(key.ctrl('c'));
    await typist.until('select endless;\nstopped\nicecore> |');
    typist.type('select 2;', enter);
    await typist.until(() => typist.asked.length === 2);
    expect(typist.faults).toEqual([]);
  });

  it('skips the statements after the stopped one', async () => {
    const typist = await atPrompt(endless());
    typist.type('select endless; select 2; select 3;', enter);
    await typist.until(() => typist.asked.length === 1);
    typist.type(key.ctrl('c'));
    await typist.until('stopped; 2 statements after it not run\nicecore> |');
    expect(typist.asked).toEqual(['select endless;']);
  });

  it('stops .tables while it waits', async () => {
    const waiting: Promise<string>[] = [];
    const tables = (): Promise<string> => {
      waiting.push(new Promise(() => {}));
      return waiting[0] ?? Promise.reject();
    };
    const typist = await atPrompt({ host: { tables } });
    typist.type('.tables', enter);
    await typist.until(() => waiting.length === 1);
    typist.type(key.ctrl('c'));
    await typist.until('.tables\nstopped\nicecore> |');
  });

  it('clears the typed text, and on an empty prompt says how to leave', async () => {
    const typist = await atPrompt();
    typist.type('select', enter, '1', key.ctrl('c'));
    await typist.until('       > 1^C\nicecore> |');
    expect(typist.seen).not.toContain('to leave');
    typist.type(key.ctrl('c'));
    await typist.until('Type .exit or Ctrl-D to leave.\nicecore> |');
  });
});

describe('keys typed while a statement runs', () => {
  it('are processed after it', async () => {
    let finish = (): void => {};
    const ask = (sql: string): Promise<void> =>
      new Promise((resolve) => {
        if (sql === 'select 1;') finish = resolve;
        else resolve();
      });
    const typist = await atPrompt({ host: { ask } });
    typist.type('select 1;', enter);
    await typist.until(() => typist.asked.length === 1);
    typist.type('select 2;', enter, 'select', enter, '3');
    finish();
    await typist.until('icecore> select 2;\nicecore> select\n       > 3|');
    expect(typist.asked).toEqual(['select 1;', 'select 2;']);
  });
});

describe('the SQL prompt', () => {
  it.each([
    ['.exit', ['.exit', enter]],
    ['.quit', ['.quit', enter]],
    ['exit', ['exit', enter]],
    ['quit;', ['quit;', enter]],
    ['\\q', ['\\q', enter]],
    ['Ctrl-D', [key.ctrl('d')]],
    ['Ctrl-D within a statement', ['select', enter, 'x', key.ctrl('d')]],
    ['Ctrl-D typed while a statement runs', ['select 1;', enter, key.ctrl('d')]],
  ])('exits on %s', async (_, keys) => {
    const typist = await atPrompt();
    expect(typist.isRaw).toBe(true);
    typist.type(...keys);
    expect(await typist.code).toBe(0);
    expect(typist.isRaw).toBe(false);
  });

  it('exits when its input ends or its output is closed', async () => {
    const hungUp = await atPrompt();
    hungUp.hangUp();
    expect(await hungUp.code).toBe(0);
    const unread = await atPrompt();
    unread.goAway();
    unread.type('select 1;', enter);
    expect(await unread.code).toBe(0);
  });

  it('exits on SIGTERM while a statement runs', async () => {
    const stop = new AbortController();
    const typist = await atPrompt({ ...endless(), signal: stop.signal });
    typist.type('select endless;', enter);
    await typist.until(() => typist.asked.length === 1);
    stop.abort('SIGTERM');
    expect(await typist.code).toBe(143);
    expect(typist.isRaw).toBe(false);
  });

  it('deletes the character after the cursor on Ctrl-D, if there is one', async () => {
    const typist = await atPrompt();
    typist.type('select 12;', left, left, key.ctrl('d'), enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(['select 1;']);
  });
});

describe('the SQL prompt in a dumb terminal', () => {
  it('reads and runs statements', async () => {
    vi.stubEnv('TERM', 'dumb');
    onTestFinished(() => void vi.unstubAllEnvs());
    const typist = await atPrompt({ isDumb: true });
    typist.type('select 1x', backspace, enter, ';', enter);
    await typist.until('icecore> select 1\n       > ;\nanswer to select 1 ;\nicecore> |');
    typist.type(up, key.ctrl('d'));
    expect(await typist.code).toBe(0);
  });
});

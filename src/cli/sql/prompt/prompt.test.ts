// The prompt as somebody at a terminal meets it.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { temporaryFolder } from '../../testing/harness.ts';
import { key, type Place, sitDown, type Typist } from './testing/typist.ts';

const { enter, up, down, left, home, backspace, tab } = key;

/** At a prompt that is ready, below its greeting. */
async function atPrompt(place: Place = {}): Promise<Typist> {
  const typist = sitDown(place);
  await typist.until('icecore> ');
  return typist;
}

/** A desk whose answers come when somebody stops them, and never else. */
function endless(): Place {
  const ask = (sql: string, _: unknown, signal: AbortSignal): Promise<void> =>
    sql.includes('endless')
      ? new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('interrupted'))))
      : Promise.resolve();
  return { desk: { ask } };
}

describe('a statement', () => {
  it('runs when Enter finds its semicolon, and not before', async () => {
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

  it('may have a semicolon in a string; the line below says what it is in', async () => {
    const typist = await atPrompt();
    typist.type("select 'a;", enter, 'b');
    await typist.until("      '> b|");
    typist.type("';", enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(["select 'a;\nb';"]);
  });

  it('is edited in all its lines until it runs, wherever the cursor is then', async () => {
    const typist = await atPrompt();
    typist.type('select run', enter, 'from runs;', up, left, left, home, 'SQL', key.altEnter);
    await typist.until('icecore> SQL\n       > |select run');
    typist.type(backspace, backspace, backspace, backspace, enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(['select run\nfrom runs;']);
  });

  it('that is wider than the terminal is drawn where it is', async () => {
    const typist = await atPrompt({ columns: 20 });
    typist.type('select aaaaa, bbbbb, ccccc', enter, 'from x', up, up, 'Z');
    await typist.until('icecore> selectZ| aaa\naa, bbbbb, ccccc\n       > from x');
    typist.type(down, '!');
    await typist.until('icecore> selectZ aaa\naa, bbbbb, ccccc\n       > from x!|');
  });

  it('that is higher than the terminal shows the part that is edited, and in the end all of it', async () => {
    const typist = await atPrompt({ rows: 4 });
    const lines = Array.from({ length: 9 }, (_, i) => `line ${i + 1}`);
    typist.type(key.pasted(lines.join('\n')), ...Array(8).fill(up), 'select ');
    await typist.until('icecore> line 1select |\n       > line 2\n       > line 3\n       > line 4');
    typist.type(key.ctrl('c'));
    await typist.until('       > line 9^C\nicecore> |');
  });

  it('stays whole when the terminal becomes narrower', async () => {
    const typist = await atPrompt({ columns: 40 });
    typist.type('select a, b, c', enter, 'from runs');
    await typist.until('from runs|');
    typist.resize(25);
    typist.type(';', enter);
    await typist.until('icecore> select a, b, c\n       > from runs;\nanswer');
  });

  it('may be of any script', async () => {
    const typist = await atPrompt();
    typist.type("select '日本語 👩‍👩‍👧é'", left, left, backspace, key.ctrl('e'), ';', enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(["select '日本語 é';"]);
  });

  it('is not run by an empty line or a command below it, which say how it ends', async () => {
    const typist = await atPrompt();
    typist.type('select 1', enter, enter);
    await typist.until('The statement is not ended: ; and Enter run it');
    typist.type('.exit', enter);
    await typist.until(() => typist.seen.split('is not ended').length === 3);
    typist.type(key.ctrl('u'), ';', enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(['select 1\n;']);
  });

  it('that is only blanks, comments or semicolons asks nothing', async () => {
    const typist = await atPrompt();
    typist.type('  ', enter, '-- a note', enter, ';;', enter, '/* more */', enter, 'select 1;', enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(['select 1;']);
  });
});

describe('what is cut', () => {
  it('comes back with Ctrl-Y', async () => {
    const typist = await atPrompt();
    typist.type('from runs select', key.ctrl('w'), home, key.ctrl('y'), ' 1 ', key.ctrl('e'), ';', enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(['select 1 from runs ;']);
  });

  it('is a line to its start or to its end, and then its break', async () => {
    const typist = await atPrompt();
    typist.type('select 1', enter, 'rest', key.ctrl('u'), up, key.ctrl('e'), key.ctrl('k'), ' + 1;', enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(['select 1 + 1;']);
  });
});

describe('what is pasted', () => {
  const several = "select 1;\n\n\tselect ';',\n\t2;\n.tables\nselect 3;\n";

  it('is seen whole before Enter runs it, one after the other', async () => {
    const typist = await atPrompt({ desk: { complete: () => Promise.reject(new Error('a tab was taken for a key')) } });
    typist.type(key.pasted(several));
    await typist.until('       > select 3;');
    expect(typist.asked).toEqual([]);
    typist.type(enter);
    await typist.until('answer to select 3;');
    expect(typist.asked).toEqual(['select 1;', "select ';',\n\t2;", 'select 3;']);
    expect(typist.seen).toMatch(/ 2;\nrollouts\nruns\nanswer to select 3;/);
  });

  it('runs as it comes where a terminal does not say that it is pasted', async () => {
    const typist = await atPrompt({ desk: { complete: () => Promise.reject(new Error('a tab was taken for a key')) } });
    typist.type(several.replaceAll('\n', '\r'));
    await typist.until('answer to select 3;');
    expect(typist.asked).toEqual(['select 1;', "select ';',\n\t2;", 'select 3;']);
  });

  it('cannot steer the terminal', async () => {
    const typist = await atPrompt();
    typist.type(key.pasted('select \u0007\u001b[2J1;\u0003'), enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(['select [2J1;']);
  });

  it('goes on after one that fails', async () => {
    const ask = async (sql: string): Promise<void> => {
      if (sql.includes('wrong')) throw new IcecoreError('bad-input', 'there is no column "wrong"');
    };
    const typist = await atPrompt({ desk: { ask } });
    typist.type('select wrong; select 2;', enter);
    await typist.until('there is no column "wrong"\nicecore> |');
    expect(typist.asked).toEqual(['select wrong;', 'select 2;']);
  });
});

describe('Ctrl-C', () => {
  it('stops the statement that runs, and not the prompt', async () => {
    const typist = await atPrompt(endless());
    typist.type('select endless;', enter);
    await typist.until(() => typist.asked.length === 1);
    typist.type(key.ctrl('c'));
    await typist.until('select endless;\nstopped\nicecore> |');
    typist.type('select 2;', enter);
    await typist.until(() => typist.asked.length === 2);
    expect(typist.told).toEqual([]);
  });

  it('leaves out what was to run after it', async () => {
    const typist = await atPrompt(endless());
    typist.type('select endless; select 2; select 3;', enter);
    await typist.until(() => typist.asked.length === 1);
    typist.type(key.ctrl('c'));
    await typist.until('stopped; 2 statements after it not run\nicecore> |');
    expect(typist.asked).toEqual(['select endless;']);
  });

  it('does not wait for tables that nobody gives', async () => {
    const waiting: Promise<string>[] = [];
    const tables = (): Promise<string> => {
      waiting.push(new Promise(() => {}));
      return waiting[0] ?? Promise.reject();
    };
    const typist = await atPrompt({ desk: { tables } });
    typist.type('.tables', enter);
    await typist.until(() => waiting.length === 1);
    typist.type(key.ctrl('c'));
    await typist.until('.tables\nstopped\nicecore> |');
  });

  it('drops what is typed; where nothing is, says how to leave', async () => {
    const typist = await atPrompt();
    typist.type('select', enter, '1', key.ctrl('c'));
    await typist.until('       > 1^C\nicecore> |');
    expect(typist.seen).not.toContain('leaves');
    typist.type(key.ctrl('c'));
    await typist.until('Ctrl-D or .exit leaves.\nicecore> |');
  });
});

describe('keys', () => {
  it('typed while a statement runs are there when it has run', async () => {
    let finish = (): void => {};
    const ask = (sql: string): Promise<void> =>
      new Promise((resolve) => {
        if (sql === 'select 1;') finish = resolve;
        else resolve();
      });
    const typist = await atPrompt({ desk: { ask } });
    typist.type('select 1;', enter);
    await typist.until(() => typist.asked.length === 1);
    typist.type('select 2;', enter, 'select', enter, '3');
    finish();
    await typist.until('icecore> select 2;\nicecore> select\n       > 3|');
    expect(typist.asked).toEqual(['select 1;', 'select 2;']);
  });
});

describe('leaving', () => {
  it.each([
    ['.exit', ['.exit', enter]],
    ['.quit', ['.quit', enter]],
    ['exit', ['exit', enter]],
    ['quit;', ['quit;', enter]],
    ['\\q', ['\\q', enter]],
    ['Ctrl-D', [key.ctrl('d')]],
    ['Ctrl-D within a statement', ['select', enter, 'x', key.ctrl('d')]],
    ['Ctrl-D typed while a statement runs', ['select 1;', enter, key.ctrl('d')]],
  ])('is by %s', async (_, keys) => {
    const typist = await atPrompt();
    expect(typist.isRaw).toBe(true);
    typist.type(...keys);
    expect(await typist.code).toBe(0);
    expect(typist.isRaw).toBe(false);
  });

  it('is what the end of the terminal does, and of whoever reads', async () => {
    const hungUp = await atPrompt();
    hungUp.hangUp();
    expect(await hungUp.code).toBe(0);
    const unread = await atPrompt();
    unread.goAway();
    unread.type('select 1;', enter);
    expect(await unread.code).toBe(0);
  });

  it('is asked for by signals, while a statement runs as well', async () => {
    const stop = new AbortController();
    const typist = await atPrompt({ ...endless(), signal: stop.signal });
    typist.type('select endless;', enter);
    await typist.until(() => typist.asked.length === 1);
    stop.abort('SIGTERM');
    expect(await typist.code).toBe(143);
    expect(typist.isRaw).toBe(false);
  });

  it('by Ctrl-D deletes instead where there is something behind the cursor', async () => {
    const typist = await atPrompt();
    typist.type('select 12;', left, left, key.ctrl('d'), enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(['select 1;']);
  });
});

describe('commands', () => {
  it('show tables, columns and what there is', async () => {
    const typist = await atPrompt();
    typist.type('.tables', enter, '.schema', enter, '.schema runs;', enter, '\\d arms', enter, '.help', enter);
    await typist.until('.exit   ');
    expect(typist.seen).toContain('rollouts\nruns\nicecore> .schema\ncolumns of all\n');
    expect(typist.seen).toContain('columns of runs\n');
    expect(typist.seen).toContain('columns of arms\n');
    expect(typist.seen).toMatch(/\.format NAME +how results are written: table, csv, json\n/);
  });

  it('set how results are written', async () => {
    const typist = await atPrompt();
    typist.type('.format csv', enter, '.limit 1_000', enter, 'select 1;', enter);
    await typist.until('answer');
    typist.type('.mode JSON', enter, '.limit all', enter, '.timing on', enter, 'select 2;', enter);
    await typist.until(() => /answer to select 2;\n[\d.]+ m?s\n/.test(typist.seen));
    expect(typist.settings).toEqual([
      { format: 'csv', rows: 1000 },
      { format: 'json', rows: null },
    ]);
    expect(typist.seen).toContain('format json, all rows, timing on\n');
  });

  it.each([
    ['.tabels', 'there is no command ".tabels"', 'Did you mean .tables? '],
    ['.timimg on', 'there is no command ".timimg"', 'Did you mean .timing? '],
    ['\\copy x', 'there is no command "\\copy"', '.help lists them'],
    ['.format jsn', '.format: found "jsn", allowed: table, csv, json', 'Did you mean json?'],
    ['.format', '.format: found nothing, allowed: table, csv, json', ''],
    ['.limit none', '.limit: found "none", allowed: a number of rows from 1, or all', ''],
    ['.limit 0', '.limit: found "0", allowed: a number of rows from 1, or all', ''],
    ['.timing maybe', '.timing: found "maybe", allowed: on, off', ''],
  ])('%s is told what is allowed', async (line, message, remedy) => {
    const typist = await atPrompt();
    typist.type(line, enter);
    await typist.until(message);
    expect(typist.told).toEqual([expect.objectContaining({ message, remedy: expect.stringContaining(remedy) })]);
  });
});

describe('Tab', () => {
  const suggested = (...suggestions: readonly string[]): Place => ({
    desk: {
      complete: async (text) => suggestions.map((suggestion) => ({ suggestion, start: text.lastIndexOf(' ') + 1 })),
    },
  });

  it('goes on as far as the suggestions agree, and then lists them', async () => {
    const typist = await atPrompt(suggested('rollouts', 'rollup ', 'error '));
    typist.type('select 1', enter, 'from ro', tab);
    await typist.until('       > from roll|');
    typist.type(tab);
    await typist.until('rollouts  rollup\nicecore> select 1\n       > from roll|');
    typist.type('o', tab);
    await typist.until('       > from rollouts|');
    typist.type(';', enter);
    await typist.until('answer');
    expect(typist.asked).toEqual(['select 1\nfrom rollouts;']);
  });

  it('asks with all of the statement before the cursor', async () => {
    const asked: string[] = [];
    const complete = async (text: string): Promise<[]> => {
      asked.push(text);
      return [];
    };
    const typist = await atPrompt({ desk: { complete } });
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

  it('completes tables behind .schema', async () => {
    const typist = await atPrompt(suggested('rollouts', 'rollback '));
    typist.type('.schema roll', tab);
    await typist.until('icecore> .schema rollouts|');
  });

  it('indents where nothing is to be completed, and is let be where completing fails', async () => {
    let failed = 0;
    const complete = async (): Promise<[]> => {
      failed += 1;
      throw new Error('no tables yet');
    };
    const typist = await atPrompt({ desk: { complete } });
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

describe('what was asked before', () => {
  it('comes back with the arrows, statements of many lines as one, and what is typed is kept', async () => {
    const typist = await atPrompt();
    typist.type('select', enter, '1;', enter, 'select 2;', enter, 'sel', up);
    await typist.until('icecore> select 2;|');
    typist.type(up);
    await typist.until('icecore> select\n       > 1;|');
    typist.type(down, down);
    await typist.until('icecore> sel|');
  });

  it('is searched with Ctrl-R', async () => {
    const typist = await atPrompt();
    typist.type('select 1 from runs;', enter, 'select 2 from runs;', enter, 'select 3;', enter, key.ctrl('r'), 'RUNS');
    await typist.until('search "RUNS"> select 2 from |runs;');
    typist.type(key.ctrl('r'));
    await typist.until('search "RUNS"> select 1 from |runs;');
    typist.type(backspace, key.ctrl('c'));
    await typist.until('icecore> |');
    typist.type(key.ctrl('r'), '2', enter);
    await typist.until(() => typist.asked.length === 4);
    expect(typist.asked[3]).toBe('select 2 from runs;');
  });

  it('is there for the next prompt, whatever ends this one and however many there are', async () => {
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
    await next.until('icecore> select\n       > 2;|');
    next.type(up, up);
    await next.until('icecore> select 1;|');
  });

  it('is told once that it cannot be kept', async () => {
    const historyFile = join(temporaryFolder(), 'no', 'such', 'folder');
    const typist = await atPrompt({ historyFile });
    typist.type('select 1;', enter, 'select 2;', enter);
    await typist.until('answer to select 2;');
    expect(typist.told).toEqual([expect.objectContaining({ code: 'ENOENT' })]);
  });
});

describe('a terminal that can only print', () => {
  it('is enough', async () => {
    const typist = await atPrompt({ isDumb: true });
    typist.type('select 1x', backspace, enter, ';', enter);
    await typist.until('icecore> select 1\n       > ;\nanswer to select 1 ;\nicecore> |');
    typist.type(up, key.ctrl('d'));
    expect(await typist.code).toBe(0);
  });
});

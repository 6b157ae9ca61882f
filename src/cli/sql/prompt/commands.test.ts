// The prompt's own commands.
import { describe, expect, it } from 'vitest';
import { atPrompt, key } from './testing/typist.ts';

const { enter } = key;

describe('the commands of the SQL prompt', () => {
  it('print the tables, their columns and the help', async () => {
    const typist = await atPrompt();
    typist.type('.tables', enter, '.schema', enter, '.schema runs;', enter, '\\d arms', enter, '.help', enter);
    await typist.until('.exit   ');
    expect(typist.seen).toContain('rollouts\nruns\nicecore> .schema\ncolumns of all\n');
    expect(typist.seen).toContain('columns of runs\n');
    expect(typist.seen).toContain('columns of arms\n');
    expect(typist.seen).toMatch(/\.format NAME +set the format of results: table, csv, json\n/);
  });

  it('set the format, the row limit and the timing of results', async () => {
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
    ['\\copy x', 'there is no command "\\copy"', '.help lists the commands'],
    ['.format jsn', '.format: found "jsn", allowed: table, csv, json', 'Did you mean json?'],
    ['.format', '.format: found nothing, allowed: table, csv, json', ''],
    ['.limit none', '.limit: found "none", allowed: a number of rows from 1, or all', ''],
    ['.limit 0', '.limit: found "0", allowed: a number of rows from 1, or all', ''],
    ['.timing maybe', '.timing: found "maybe", allowed: on, off', ''],
  ])('%s is refused with what is allowed', async (line, message, remedy) => {
    const typist = await atPrompt();
    typist.type(line, enter);
    await typist.until(message);
    expect(typist.faults).toEqual([expect.objectContaining({ message, remedy: expect.stringContaining(remedy) })]);
  });
});

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wholeRun } from '../../analysis/history/testing/recording.ts';
import { Tampering } from '../../ledger/sqlite/testing/tamper.ts';
import { placeWith } from '../runs/testing/looking.ts';
import { icecore, json, lines } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

describe('icecore tables refresh', () => {
  it('adds missing events, and reports when it builds all tables', async () => {
    const { look } = await placeWith(wholeRun());
    const first = await look('tables', 'refresh');
    expect(first.stdout).toMatch(/^(\d+) events added, \1 events in all, /);
    expect(first.stderr).toContain('built all tables: ');
    expect((await look('tables', 'refresh')).stdout).toMatch(/^0 events added, /);
    await look('annotate', 'quiet-otter', 'look at it');
    const again = json(await look('tables', 'refresh', '--json'));
    expect(faultsAgainst('tables-refresh', again)).toEqual([]);
    expect(again).toMatchObject({ added: 1, built: null, remade: [] });
    expect(json(await look('tables', 'refresh', '--rebuild', '--json'))).toMatchObject({ added: again['events'] });
  });

  it('reports unexpected objects in the store, and suggests icecore verify', async () => {
    const { look, cwd } = await placeWith(wholeRun());
    expect((await look('tables', 'refresh')).stderr).not.toContain('icecore verify');
    const tampering = new Tampering(join(cwd, '.icecore', 'ledger.db'));
    tampering.run('CREATE TABLE stray (what TEXT)');
    tampering.close();
    expect((await look('tables', 'refresh')).stderr).toMatch(/^1 thing in the store .*: icecore verify lists them$/m);
  });

  it('prints a line per update with --follow until it is stopped', async () => {
    const { look, cwd } = await placeWith(wholeRun());
    const stop = new AbortController();
    let updates = 0;
    const following = icecore(['tables', 'refresh', '--follow', '--json'], {
      cwd,
      signal: stop.signal,
      onOutput: () => {
        updates += 1;
        if (updates === 1) void look('annotate', 'quiet-otter', 'look at it');
        else stop.abort('SIGINT');
      },
    });
    const { code, stdout } = await following;
    expect(code).toBe(130);
    const [first, second] = lines(stdout).map((line) => JSON.parse(line) as { events: number; added: number });
    expect(second).toMatchObject({ added: 1, events: (first?.events ?? 0) + 1 });
  });
});

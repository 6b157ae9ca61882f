// Every command that ignores events of a newer icecore reports them.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wholeRun } from '../../analysis/history/testing/recording.ts';
import { Tampering } from '../../ledger/sqlite/testing/tamper.ts';
import { writeRollouts } from '../../projections/testing/varied.ts';
import { type Place, placeWhere, placeWith } from '../runs/testing/looking.ts';
import { icecore, json } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

/** As if a newer icecore had recorded some events of the run: one type has another version, and one is not known at all. */
async function placeOfNewer(): Promise<Place> {
  const place = await placeWhere(async (ledger) => {
    await wholeRun().writeTo(ledger);
    await writeRollouts(ledger, 0, 5);
  });
  const tampering = new Tampering(join(place.cwd, '.icecore', 'ledger.db'));
  for (const { position, body, digest } of tampering.bodies()) {
    const text = body.toString();
    if (text.includes('"type":"StageCompleted"'))
      tampering.rewrite(position, Buffer.from(text.replace(/"version":1\}$/, '"version":7}')), digest);
    if (text.includes('"type":"RolloutRecorded"'))
      tampering.rewrite(position, Buffer.from(text.replace(/"version":1\}$/, '"version":2}')), digest);
  }
  tampering.close();
  return place;
}

describe('events of a newer icecore', () => {
  it.each([['runs'], ['show'], ['why'], ['report'], ['diff', 'quiet-otter@1', 'quiet-otter@2']])(
    'are reported by icecore %s',
    async (...command) => {
      const { look } = await placeOfNewer();
      const { stderr } = await look(...command);
      expect(stderr).toMatch(
        /\d+ events? of types or versions that this icecore does not know \(.*StageCompleted version 7: \d/,
      );
    },
  );

  it('are reported by sql, tables refresh and export tables, and are only in the table events', async () => {
    const { look } = await placeOfNewer();
    const unknown =
      /of types or versions that this icecore does not know \(RolloutRecorded version 2: (\d+), StageCompleted/;
    for (let asked = 0; asked < 2; asked++) {
      const answer = await look('sql', '--json', "SELECT count(*) AS n FROM events WHERE type = 'RolloutRecorded'");
      const rollouts = Number(unknown.exec(answer.stderr)?.[1]);
      expect(rollouts).toBeGreaterThan(0);
      const output = json(answer);
      expect(faultsAgainst('sql', output)).toEqual([]);
      expect(output).toMatchObject({ rows: [{ n: rollouts }] });
      expect(Number(output['unknown'])).toBeGreaterThan(rollouts);
      expect((await look('sql', '--format', 'csv', 'SELECT count(*) FROM rollouts')).stdout).toMatch(/\n0\n$/);
    }
    const project = await look('tables', 'refresh', '--json');
    expect(faultsAgainst('tables-refresh', json(project))).toEqual([]);
    expect(json(project)['unknown']).toContainEqual({ type: 'StageCompleted', version: 7, events: expect.any(Number) });
    expect((await look('tables', 'refresh')).stderr).toMatch(unknown);
    expect((await look('export', 'tables', '--output', 'out', 'rollouts')).stderr).toMatch(unknown);
    expect((await look('sql', '--path')).stderr).toMatch(unknown);
  });

  it('are not mentioned if there are none', async () => {
    const { cwd } = await placeWith(wholeRun());
    for (const command of [['runs'], ['show'], ['sql', 'FROM runs']])
      expect((await icecore(command, { cwd })).stderr).not.toContain('does not know');
  });
});

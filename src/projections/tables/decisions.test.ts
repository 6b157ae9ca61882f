import { beforeAll, describe, expect, it } from 'vitest';
import { decidedTables } from '../testing/decided.ts';
import type { Ask } from '../testing/history.ts';

let ask: Ask;

beforeAll(async () => {
  ask = await decidedTables();
});

describe('configurations', () => {
  it('are those that stages started with, otherwise the last adopted ones', async () => {
    const rows = await ask(
      `SELECT run, stage, value, began FROM configs WHERE (short_name = 'players' OR knob = 'hard') AND run NOT LIKE 'he%' ORDER BY run, stage`,
    );
    expect(rows).toEqual([
      { run: 'deciding', stage: 1, value: 2, began: true },
      { run: 'deciding', stage: 2, value: 3, began: false },
      { run: 'deciding', stage: 3, value: 3, began: false },
      { run: 'deciding', stage: 4, value: 4, began: false },
      { run: 'fork', stage: 2, value: 2, began: false },
      { run: 'imported0000', stage: 5, value: 3, began: false },
    ]);
  });

  it("of a fork are its parent's decisions, until it decides itself", async () => {
    const sql = `SELECT s.run, decided_by, s.engineer, value FROM stages AS s JOIN configs AS c USING (run_id, stage)
      WHERE short_name = 'players' AND s.run LIKE 'he%' ORDER BY s.run`;
    expect(await ask(sql)).toEqual([
      { run: 'heir00000000', decided_by: 'engineer', engineer: 'gpt', value: 3 },
      { run: 'heretic00000', decided_by: 'human', engineer: 'human/ada', value: 4 },
    ]);
  });
});

describe('knobs and families', () => {
  it('are those of the descriptor, for a fork of its parent', async () => {
    expect(
      await ask(
        "SELECT position, knob, short_name, step, harder, provokes, share_of FROM knobs WHERE run = 'fork' AND position <> 4 ORDER BY position",
      ),
    ).toEqual([
      { position: 1, knob: 'small.data', short_name: 'data', step: 0.05, harder: null, provokes: null, share_of: 1 },
      {
        position: 2,
        knob: 'small.level',
        short_name: 'level',
        step: 0.1,
        harder: 'more',
        provokes: ['slip'],
        share_of: null,
      },
      { position: 3, knob: 'big.data', short_name: 'data', step: 0.05, harder: null, provokes: null, share_of: 1 },
      { position: 5, knob: 'players', short_name: 'players', step: 1, harder: null, provokes: null, share_of: null },
    ]);
    expect(
      await ask("SELECT position, family, meaning, knobs FROM families WHERE run = 'deciding' ORDER BY position"),
    ).toEqual([
      { position: 1, family: 'small', meaning: 'the small ones', knobs: ['small.data', 'small.level'] },
      { position: 2, family: 'big', meaning: 'the big ones', knobs: ['big.data', 'big.level'] },
    ]);
  });
});

describe('decisions', () => {
  it('name who made them, and whether they are in force', async () => {
    expect(
      await ask(
        "SELECT run, stage, in_force, decided_by, engineer, changes, clamps FROM decisions WHERE run NOT LIKE 'he%' ORDER BY run, stage, happened_at",
      ),
    ).toEqual([
      { run: 'deciding', stage: 1, in_force: true, decided_by: 'initial', engineer: null, changes: 0, clamps: 0 },
      { run: 'deciding', stage: 2, in_force: true, decided_by: 'engineer', engineer: 'gpt', changes: 5, clamps: 1 },
      {
        run: 'deciding',
        stage: 3,
        in_force: true,
        decided_by: 'kept',
        engineer: 'gpt',
        changes: 0,
        clamps: 0,
      },
      {
        run: 'deciding',
        stage: 4,
        in_force: false,
        decided_by: 'human',
        engineer: 'human/ada',
        changes: 0,
        clamps: 0,
      },
      {
        run: 'deciding',
        stage: 4,
        in_force: true,
        decided_by: 'human',
        engineer: 'human/bob',
        changes: 0,
        clamps: 0,
      },
      { run: 'fork', stage: 2, in_force: true, decided_by: 'human', engineer: 'human/ada', changes: 0, clamps: 0 },
      {
        run: 'imported0000',
        stage: 5,
        in_force: true,
        decided_by: 'human',
        engineer: 'producer/run',
        changes: 1,
        clamps: 0,
      },
    ]);
  });
});

describe('changes of knobs', () => {
  it('have their size and their evidence', async () => {
    const columns = 'knob, from_value, to_value, steps, direction, reason, cites, rests_on, clamped, proposed';
    expect(await ask(`SELECT ${columns} FROM knob_changes WHERE run = 'deciding' AND stage = 2 ORDER BY knob`)).toEqual(
      [
        change('big.data', 0.5, 0.6, 2, ['F.none'], 'unknown'),
        {
          ...change('big.level', 0.3, 0.2, -1, ['F.big'], 'its family'),
          reason: 'Too hard.',
          clamped: true,
          proposed: 0.05,
        },
        change('players', 2, 3, 1, null, 'nothing'),
        change('small.data', 0.5, 0.4, -2, ['F.all'], 'in part'),
        change('small.level', 0.1, 0.2, 1, ['F.big', 'F.none'], 'another family'),
      ],
    );
  });

  it('have the module and family of each evidence id', async () => {
    expect(
      await ask(
        "SELECT cited_evidence FROM knob_changes WHERE run = 'deciding' AND stage = 2 AND knob = 'small.level'",
      ),
    ).toEqual([
      {
        cited_evidence: [
          { evidence_id: 'F.big', module: 'failures', family: 'big' },
          { evidence_id: 'F.none', module: null, family: null },
        ],
      },
    ]);
  });

  it('have the rates of their family before and after', async () => {
    const columns = `knob, valid_before, valid_after, gain, probe_before, probe_after, probe_before_low AS low,
      probe_after_high AS high`;
    expect(
      await ask(
        `SELECT ${columns} FROM knob_changes WHERE run = 'deciding' AND stage = 2 AND knob IN ('big.level', 'players') ORDER BY knob`,
      ),
    ).toEqual([
      {
        knob: 'big.level',
        valid_before: 0.1,
        valid_after: 0.3,
        gain: expect.closeTo(0.2, 12),
        probe_before: 0.1,
        probe_after: 0.4,
        low: 0.05,
        high: expect.closeTo(0.6, 12),
      },
      {
        knob: 'players',
        valid_before: 0.3,
        valid_after: 0.45,
        gain: expect.closeTo(0.15, 12),
        probe_before: 0.3,
        probe_after: 0.5,
        low: null,
        high: null,
      },
    ]);
  });

  it('of a fork are compared with the stage of its parent', async () => {
    const columns =
      'stage, knob, from_value, to_value, steps, valid_before, valid_after, probe_before, probe_after, engineer, rests_on';
    expect(await ask(`SELECT ${columns} FROM knob_changes WHERE run = 'fork'`)).toEqual([
      {
        stage: 2,
        knob: 'big.level',
        from_value: 0.3,
        to_value: 0.1,
        steps: -2,
        valid_before: 0.1,
        valid_after: 0.4,
        probe_before: 0.1,
        probe_after: null,
        engineer: 'human/ada',
        rests_on: 'nothing',
      },
    ]);
  });

  it('exclude rounding errors, and follow the last of several decisions', async () => {
    expect(
      await ask("SELECT stage, knob, to_value, valid_after FROM knob_changes WHERE run = 'deciding' AND stage > 2"),
    ).toEqual([{ stage: 4, knob: 'players', to_value: 4, valid_after: null }]);
  });

  it('are taken from the decision if the previous configuration was not recorded', async () => {
    expect(
      await ask(
        "SELECT knob, from_value, to_value, steps, rests_on, valid_before FROM knob_changes WHERE run = 'imported0000'",
      ),
    ).toEqual([{ knob: 'hard', from_value: 1, to_value: 3, steps: null, rests_on: 'no context', valid_before: null }]);
  });
});

function change(
  knob: string,
  from_value: number,
  to_value: number,
  steps: number,
  cites: readonly string[] | null,
  rests_on: string,
) {
  const direction = to_value > from_value ? 'up' : 'down';
  return {
    knob,
    from_value,
    to_value,
    steps,
    direction,
    reason: null,
    cites,
    rests_on,
    clamped: false,
    proposed: null,
  };
}

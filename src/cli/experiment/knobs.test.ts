// A run whose trainer offers a knob: every command that shows knobs shows it, and forks and ablations use it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { json, lines } from '../testing/harness.ts';
import { emptyPlace, hasPython, placeWith, tiny, trainer } from './testing/place.ts';

const knobs = [{ name: 'lr', meaning: 'the size of a step', range: { min: 0.1, max: 0.9 }, step: 0.1, start: 0.5 }];
const ofAll = 'FROM curriculum WHERE position IS NULL';
const place = placeWith({
  ...tiny,
  trainer: { command: [...trainer], knobs },
  engineer: 'random',
  context: 'stats,behaviour',
  budget: { 'agent-steps': 500 },
  name: 'mine',
});

describe.skipIf(!hasPython)('a knob of the trainer', () => {
  it('is shown by diff, by why and in the tables, with the result after it', async () => {
    const at = place();
    const asked = await at.icecore(
      'sql',
      '--json',
      "SELECT knob, from_value, steps, valid_after IS NOT NULL AS after FROM knob_changes WHERE knob = 'trainer.lr'",
    );
    const [row] = json(asked)['rows'] as readonly [{ steps: number }];
    expect(row).toMatchObject({ knob: 'trainer.lr', from_value: 0.5, after: true });
    expect((await at.icecore('why', 'mine@2', 'trainer.lr')).stdout).toMatch(
      /trainer\.lr 0\.5 → [\s\S]*After training stage \d, all families:/,
    );
    expect((await at.icecore('diff', 'mine@1', 'mine@2')).stdout).toMatch(/^all .* trainer\.lr 0\.5 → /m);
    const curriculum = await at.icecore(
      'sql',
      '--json',
      `SELECT stage, knobs['trainer.lr'] AS lr, list_contains(changed, 'trainer.lr') AS changed ${ofAll} ORDER BY stage`,
    );
    expect(json(curriculum)['rows']).toMatchObject([
      { stage: 1, lr: 0.5, changed: false },
      { stage: 2, lr: expect.closeTo(0.5 + 0.1 * row.steps, 9), changed: true },
    ]);
  });

  it('is in the context of the next decision, which may change it within its range', async () => {
    const at = place();
    expect(await at.icecore('fork', 'mine@2', '--engineer', 'human', '--name', 'other')).toMatchObject({ code: 0 });
    expect((await at.icecore('context', 'other@2', '--context', 'behaviour')).stdout).toMatch(
      /^ +trainer\.lr +0\.5 +0\.1 to 0\.9 +0\.1 +the size of a step$/m,
    );
    await at.icecore('propose', 'other@2', '--engineer', 'fixed', '--output', 'next.json');
    const proposal = JSON.parse(at.read('next.json'));
    const adopting = async (lr: number) => {
      at.write('next.json', { ...proposal, configuration: { ...proposal.configuration, trainer: { lr } } });
      return await at.icecore('adopt', 'next.json', '--reason', 'trainer.lr: it is too slow');
    };
    expect(await adopting(2)).toMatchObject({ stderr: expect.stringContaining('allowed: a number from 0.1 to 0.9') });
    expect(await adopting(0.7)).toMatchObject({ code: 0, stdout: expect.stringContaining('trainer.lr 0.5 → 0.7') });
    expect(await at.icecore('resume', 'other')).toMatchObject({ code: 0 });
    expect((await at.icecore('why', 'other@2', 'trainer.lr')).stdout).toContain('"it is too slow"');
    expect(await at.icecore('verify', '--recompute', '--programs')).toMatchObject({ code: 0 });
    const oneLineOfEqualNotices = /^notice +unsupported +run-\S+@\d+ and \d+ more +SummaryRecorded /m;
    expect((await at.icecore('verify', '--recompute')).stdout).toMatch(oneLineOfEqualNotices);
    expect((await at.icecore('verify', '--recompute', '--verbose')).stdout).not.toMatch(oneLineOfEqualNotices);
  });

  it('is decided again by ablations, and each arm is trained with its own value', async () => {
    const at = place();
    const asked = ['--engineer', 'random', '--context', 'behaviour', '--baselines', 'fixed', '--depth', 'train'];
    expect(await at.icecore('ablate', 'mine@2', ...asked)).toMatchObject({ code: 0 });
    const { stdout } = await at.icecore('event', 'tail', '--json', '-n', '100000', '--type', 'ArmTrained');
    const rates = lines(stdout).map((line) => {
      const { data } = JSON.parse(line);
      return [data.arm, data.trainer.parameters.lr];
    });
    const { rows } = json(
      await at.icecore('sql', '--json', `SELECT knobs['trainer.lr'] AS lr ${ofAll} ORDER BY stage`),
    );
    const [first, second] = (rows as readonly { lr: number }[]).map(({ lr }) => lr);
    expect(rates).toEqual(
      expect.arrayContaining([
        ['random', second],
        ['fixed', first],
      ]),
    );
  });

  it('with an invalid start, step or range is refused before anything is written', async () => {
    const at = emptyPlace();
    const refused = async (asked: object, message: string) => {
      at.write('run.json', { ...tiny, ...asked });
      const { code, stderr } = await at.icecore('run', '--file', 'run.json', '--programs');
      expect(code).toBe(1);
      expect(stderr).toContain(message);
    };
    const [knob] = knobs;
    await refused(
      { trainer: { command: [...trainer], knobs: [{ ...knob, start: 2 }] } },
      'trainer.lr: found 2 (a number)',
    );
    await refused(
      { trainer: { command: [...trainer], knobs: [{ ...knob, step: 0 }] } },
      'trainer.knobs[0].step: found 0',
    );
    await refused(
      { trainer: { command: [...trainer], knobs: [{ ...knob, range: { min: 1, max: 0 } }] } },
      'trainer.knobs[0].range: found min 1 above max 0',
    );
    const grpo = { environment: 'lake', policy: 'neural', suites: [] };
    await refused(
      { ...grpo, trainer: { name: 'grpo', learningRate: 0.5, knobs: ['learningRate'] } },
      'trainer.learningRate: found 0.5 (a number), allowed: a number from 0.0005 to 0.02',
    );
    expect(existsSync(join(at.folder, '.icecore'))).toBe(false);
  });

  it('is shown with the program of the trainer', async () => {
    const { stdout } = await place().icecore('show', 'mine', '--verbose');
    expect(stdout).toContain(`trainer program      ${trainer.join(' ')}`);
    expect(stdout).toMatch(/^ +trainer +command 1 \(lr 0\.5\)$/m);
  });
});

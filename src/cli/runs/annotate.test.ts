import { describe, expect, it } from 'vitest';
import { Recording, wholeRun } from '../../analysis/history/testing/recording.ts';
import { json } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { placeWith } from './testing/looking.ts';

describe('a note', () => {
  it('is recorded in the notes stream of the run, and shown by icecore show', async () => {
    const { look } = await placeWith(wholeRun());
    expect(await look('annotate', 'latest', 'the one for the paper', '--tag', 'best', '--actor', 'human/ada')).toEqual({
      code: 0,
      stdout: 'noted: notes-k3v9q2m8x1tz@0\n',
      stderr: '',
    });
    const { stdout } = await look('show', '--verbose');
    expect(stdout).toMatch(/^ {2}\S+Z human\/ada: the one for the paper \(best\)$/m);
    expect(stdout).toMatch(/^ +tags +paper, best$/m);
    expect(await look('verify')).toMatchObject({ code: 0 });
  });

  it('may refer to a stage, a knob and an event', async () => {
    const recording = wholeRun();
    const { look } = await placeWith(recording);
    const event = recording.sent.at(-1)?.event.id ?? '';
    const noted = json(await look('annotate', 'latest@2', 'watch', '--knob', '5.hole', '--event', event, '--json'));
    expect(faultsAgainst('annotate', noted)).toEqual([]);
    expect(noted).toMatchObject({ stage: 2, isNew: true, stream: 'notes-k3v9q2m8x1tz' });
    expect((await look('show', '--verbose', 'latest@2')).stdout).toContain(
      `, on stage 2, 5.hole, event ${event}: watch`,
    );
    expect((await look('show', '--verbose', 'latest@1')).stdout).not.toContain('watch');
    const data = json(await look('event', 'show', 'notes-k3v9q2m8x1tz@0', '--json'));
    expect(data).toMatchObject({ stage: 2, causes: [{ event }], data: { note: 'watch', knob: '5.hole', event } });
  });

  it('repeated on the same stage is recorded once', async () => {
    const { look } = await placeWith(wholeRun());
    const first = await look('annotate', 'latest@1', 'twice', '--json');
    await look('annotate', 'latest@2', 'twice');
    expect(json(await look('annotate', 'latest@1', 'twice', '--json'))).toEqual({ ...json(first), isNew: false });
    expect((await look('show', '--verbose')).stdout.match(/twice/g)).toHaveLength(2);
  });

  it.each<[string[], number, string]>([
    [['latest', 'x', '--knob', '5.holes'], 2, 'Did you mean 5.hole, '],
    [['latest@4', 'x'], 1, 'has no stage 4: it has 3 stages, 1 to 3'],
    [['latest@7', 'x'], 2, 'has no stage 7: 3 stages are complete'],
    [['latest', 'x', '--event', 'ffffffff'], 1, 'there is no event whose id begins with ffffffff'],
    [['latest', 'x', '--event', 'run-other@0'], 2, 'is an event of run other, not of quiet-otter'],
    [['latest', '  '], 2, 'found nothing, allowed: a text'],
    [['latest', 'x', '--tag', ''], 2, '--tag: found ""'],
    [['latest', 'x', '--actor', 'ada'], 2, 'allowed: kind/identity'],
    [['quiet-oter', 'x'], 1, 'Did you mean quiet-otter?'],
    [['latest'], 2, "missing required argument 'text'"],
  ])('with the arguments %j is rejected, and nothing is recorded', async (words, code, said) => {
    const other = new Recording('other', 0);
    other.add('RunStarted', null, { name: 'other', environment: { name: 'lake' } });
    const { look } = await placeWith(other, wholeRun());
    expect(await look('annotate', ...words)).toMatchObject({ code, stderr: expect.stringContaining(said) });
    expect((await look('event', 'tail', '--type', 'RunAnnotated')).stdout).toBe('');
  });

  it('may name any knob if the knobs of the run are unknown', async () => {
    const recording = new Recording('bare');
    recording.add('RunStarted', null, { name: 'bare', environment: { name: 'lake' } });
    const { look } = await placeWith(recording);
    expect((await look('annotate', 'bare', 'x', '--knob', 'any')).code).toBe(0);
  });

  it('is shown with its control characters escaped', async () => {
    const { look } = await placeWith(wholeRun());
    await look('annotate', 'latest', 'look:\u001b[2J\nhere');
    expect((await look('show', '--verbose')).stdout).toContain('look:\\x1b[2J\\nhere');
  });
});

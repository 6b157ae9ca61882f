import { describe, expect, it } from 'vitest';
import {
  addDecision,
  addStage,
  descriptorOf,
  evenly,
  Recording,
  sizes,
  wholeRun,
} from '../../analysis/history/testing/recording.ts';
import { json } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { type Look, placeWith } from './testing/looking.ts';

async function diffed(look: Look, ...words: string[]): Promise<Record<string, unknown>> {
  const shown = json(await look('diff', ...words, '--json'));
  expect(faultsAgainst('diff', shown)).toEqual([]);
  return shown;
}

describe('icecore diff of two stages', () => {
  it('prints the change in results, then a row per family', async () => {
    const { look } = await placeWith(wholeRun());
    const { stdout } = await look('diff', 'latest@1', 'latest@2');
    for (const line of [
      /^quiet-otter@1 → quiet-otter@2: valid 43 → 64 % \(\+21 points, intervals do not overlap\), \d knobs changed$/m,
      /^5 +10 \[6, 17\] +50 \[40, 60\] +\+40 \* +data 0\.3 → 0\.45, hole 0\.3 → 0\.2$/m,
      /^3 +80 \[71, 87\] +82 \[73, 88\] +\+2 +data 0\.4 → 0\.2$/m,
      /^\*: the 95 % intervals do not overlap\. A family may also improve because it was trained longer\.$/m,
    ])
      expect(stdout).toMatch(line);
  });

  it('prints as Markdown only what changed', async () => {
    const { look } = await placeWith(wholeRun());
    const { stdout } = await look('diff', 'latest@1', 'latest@2', '--format', 'md');
    for (const row of [
      '| 5.hole | 0.3 | 0.2 | -2 knob steps | FC5.hole: Too many falls. |',
      '| 5 | valid | 10.0 [6, 17] | 50.0 [40, 60] | +40.0 | do not overlap |',
      '| all | 56.0 | 40.0 | -16.0 |',
      '| 5 | vertex-conflict | 20.0 | 0.0 | -20.0 |',
    ])
      expect(stdout).toContain(row);
    expect(stdout).not.toMatch(/3\.hole|agents|^\| 3 \| hole/m);
  });

  it('compares a single named stage with the one before it', async () => {
    const { look } = await placeWith(wholeRun());
    expect(await look('diff', 'latest@2')).toEqual(await look('diff', 'quiet-otter@1', 'quiet-otter@2'));
    expect(await look('diff', 'latest@1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no stage before latest@1'),
    });
  });

  it('prints also what is equal with --verbose', async () => {
    const { look } = await placeWith(wholeRun());
    const { stdout } = await look('diff', 'latest@2', '--verbose');
    expect(stdout).toMatch(/^3\.hole +0\.1 +0\.1 +same$/m);
    expect(stdout).toMatch(/^3 +hole +5\.0 +5\.0 +0\.0$/m);
    expect(await diffed(look, 'latest@2', '--verbose')).toMatchObject({ identical: false, all: true });
  });

  it('reports that nothing differs', async () => {
    const { look } = await placeWith(wholeRun());
    expect(await look('diff', 'latest@3')).toMatchObject({
      code: 0,
      stdout: 'quiet-otter@2 → quiet-otter@3: nothing differs\n',
    });
    expect((await look('diff', 'latest@3', '--format', 'md')).stdout).toContain(
      'Nothing differs in knobs, validation, learning signal, failures.',
    );
    expect(await diffed(look, 'latest@2', 'latest@2')).toMatchObject({ identical: true, knobs: [] });
  });

  it('prints the different settings of two runs', async () => {
    const other = new Recording('0ther');
    other.add('RunStarted', null, {
      name: 'other',
      environment: { name: 'lake', version: '1' },
      descriptor: descriptorOf(sizes),
      options: { name: 'other', stages: 3, seed: 8, learning: { rate: 0.001 } },
      code: { version: '0.2.0' },
    });
    addStage(other, 1, { knobs: evenly(sizes), valid: { 3: 80 }, failures: {}, signal: 0.5 });
    const { look } = await placeWith(wholeRun(), other);
    const settings = (await diffed(look, 'quiet-otter@1', 'other@1'))['settings'];
    expect(settings).toEqual(
      expect.arrayContaining([
        { setting: 'seed', from: 7, to: 8, isChanged: true },
        { setting: 'learning.rate', from: 0.003, to: 0.001, isChanged: true },
        { setting: 'code.version', from: '0.1.0', to: '0.2.0', isChanged: true },
        { setting: 'engineer.name', from: 'gpt', to: null, isChanged: true },
      ]),
    );
    expect(JSON.stringify(settings)).not.toMatch(/"setting":"(?:name|stages|environment\.name)"/);
    const { stdout } = await look('diff', 'quiet-otter@1', 'other@1', '--verbose');
    expect(stdout).toMatch(/^learning\.rate +0\.003 +0\.001$/m);
    expect(stdout.split('\nknobs\n')[0]).not.toMatch(/^(\S+) +(\S+) +\2$/m);
    expect((await look('diff', 'quiet-otter@1', 'other@1')).stdout).toMatch(
      /^Settings that differ: .* and \d+ more\.$/m,
    );
  });

  it('prints knobs that only one of the stages has', async () => {
    const recording = new Recording('grown');
    recording.add('RunStarted', null, { name: 'grown', environment: { name: 'lake' } });
    addStage(recording, 1, { knobs: { '3.data': 1, old: 2 }, valid: { 3: 5 }, failures: {}, signal: 0 });
    addDecision(recording, 1, { knobs: { '3.data': 1, added: 5 } });
    addStage(recording, 2, { knobs: { '3.data': 1, added: 5 }, valid: { 3: 5 }, failures: {}, signal: 0 });
    const { look } = await placeWith(recording);
    expect((await look('diff', 'latest@2')).stdout).toMatch(
      /^all +5 \[2, 11\] +5 \[2, 11\] +0 +added none → 5, old 2 → none$/m,
    );
    const { stdout } = await look('diff', 'latest@2', '--verbose');
    expect(stdout).toMatch(/^added +none +5$/m);
    expect(stdout).toMatch(/^old +2 +none$/m);
  });

  it('fails for a stage that does not exist, and names the existing ones', async () => {
    const { look } = await placeWith(wholeRun());
    expect((await look('diff', 'latest@4')).stderr).toContain('has no stage 4: it has 3 stages, 1 to 3');
    expect((await look('diff', 'latest@9')).stderr).toContain('has no stage 9: 3 stages are complete');
    expect(await look('diff', 'latest')).toMatchObject({ code: 2, stderr: expect.stringContaining('names no stage') });
  });
});

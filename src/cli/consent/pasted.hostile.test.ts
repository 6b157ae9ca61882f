// The commands that icecore prints are there to be pasted: a run that a stranger named must not add another command to them.
import { expect, it } from 'vitest';
import { strangers } from './testing/stranger.ts';

const stranger = strangers();
const name = 'x;touch pwned;#';

it.each([
  ['run', '--resume', '--jobs', '1'],
  ['show'],
  ['context', 'latest@9'],
  ['propose', 'latest@9', '--engineer', 'rules'],
  ['ablate', 'latest', '--engineers', 'rules'],
  ['ablate', 'latest@9', '--engineers', 'rules'],
  ['fork', 'latest@9', '--engineer', 'rules'],
  ['adopt', 'none.json', '--run', 'latest@1'],
  ['stage', 'start', 'latest'],
  ['stage', 'finish', 'latest'],
])('%s %s %s', async (...argv) => {
  for (const engineer of ['rules', 'human']) {
    const place = await stranger(() => ({ name, engineer }));
    const { stdout, stderr } = await place.icecore(...argv);
    expect(stdout + stderr).not.toMatch(/icecore [a-z -]*x;touch/);
  }
});

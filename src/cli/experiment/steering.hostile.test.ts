// A stranger names a run by characters that a terminal obeys: no command prints them unescaped.
import { expect, it } from 'vitest';
import { strangers } from '../consent/testing/stranger.ts';
import { steering } from '../testing/harness.ts';

const stranger = strangers();
const name = 'x\u009b2J\u202e';

it.each([
  [
    'resume and worker',
    { stages: 1, shards: 2 },
    [
      ['resume', '--jobs', '1'],
      ['worker', 'tiny00000000'],
    ],
  ],
  ['stage finish', { trainer: 'external' }, [['stage', 'finish', 'tiny00000000']]],
  ['ledger prove', {}, [['ledger', 'prove', 'run-tiny00000000@0']]],
  ['ledger prove --json', {}, [['ledger', 'prove', 'run-tiny00000000@0', '--json']]],
] as const)('%s escapes control characters in the name of a run', async (_, settings, verbs) => {
  const place = await stranger(() => ({ ...settings, name }));
  for (const argv of verbs) {
    const { code, stdout, stderr } = await place.icecore(...argv);
    expect({ code, stderr, steers: steering(stdout + stderr) }).toEqual({ code: 0, stderr, steers: [] });
  }
});

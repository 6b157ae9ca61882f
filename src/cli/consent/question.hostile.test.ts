// What a person is shown before a yes is what the yes allows: nothing of a stranger's text is put in other words, pushed out
// of sight, or made to look like what icecore itself says.
import { describe, expect, it } from 'vitest';
import { strangers } from './testing/stranger.ts';

const stranger = strangers();
const withoutIcecore = { PATH: '/nowhere' };

describe('what a stranger wrote is shown as it is', () => {
  it('also where it is a command of icecore, which would be called otherwise here', async () => {
    const command: [string, ...string[]] = ['icecore', 'propose', 'latest', '--out', 'x'];
    const place = await stranger(() => ({ engineer: command }));
    for (const words of [['run', '--resume', '--jobs', '1'], ['trust'], ['trust', '--yes']]) {
      const { stderr } = await place.icecoreWith(withoutIcecore, ...words);
      expect(stderr).toContain('engineer: icecore propose latest --out x');
    }
  });

  it('as a name of a run in a command, too', async () => {
    const name = "it's; icecore show latest";
    const place = await stranger(() => ({ name, engineer: 'human' }));
    const { stdout, stderr } = await place.icecoreWith(withoutIcecore, 'run', '--resume', '--jobs', '1');
    expect(stdout + stderr).toContain(String.raw`run --resume 'it'\''s; icecore show latest'`);
    expect(stdout + stderr).not.toContain('; node ');
  });
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import { allowed } from '../../programs/testing/allowed.ts';
import { EnvironmentClosed } from '../environment.ts';
import { Program } from './program.ts';
import { program } from './testing/programs.ts';

afterEach(() => vi.useRealTimers());

describe('a paused program', () => {
  it('has no time limit until it is resumed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const talker = program('generate(r) { say({ request: r.request, task: task(0) }); while (true); }');
    const limits = { startMs: 1000, replyMs: 1000, lineBytes: 1000 };
    const started = new Program({ program: allowed(talker), variables: {} }, limits);
    const heard = Promise.withResolvers<void>();
    const failed = vi.fn();
    await started.described;
    started.send(
      { do: 'generate' },
      {
        reply: () => {
          started.pause();
          heard.resolve();
          return false;
        },
        fail: failed,
      },
    );
    await heard.promise;
    vi.advanceTimersByTime(100_000);
    await new Promise(setImmediate).then(() => new Promise(setImmediate));
    expect(failed).not.toHaveBeenCalled();
    started.resume();
    vi.advanceTimersByTime(1000);
    await vi.waitFor(() => expect(failed).toHaveBeenCalledWith(expect.objectContaining({ name: 'ProgramSilent' })));
    vi.useRealTimers();
    await started.close(new EnvironmentClosed('any'));
  });
});

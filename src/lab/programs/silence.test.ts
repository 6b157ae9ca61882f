import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Silence } from './child.ts';

describe('silence', () => {
  const noticed = vi.fn();
  let silence: Silence;
  beforeEach(() => {
    vi.useFakeTimers();
    noticed.mockClear();
    silence = new Silence(noticed);
  });
  afterEach(() => vi.useRealTimers());

  it('is noticed when nothing was heard for as long as allowed', async () => {
    silence.expect(100);
    await vi.advanceTimersByTimeAsync(99);
    expect(noticed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10);
    expect(noticed).toHaveBeenCalledExactlyOnceWith(100);
  });

  it('is none as long as something is heard in time', async () => {
    silence.expect(100);
    for (let i = 0; i < 10; i++) {
      await vi.advanceTimersByTimeAsync(90);
      silence.hear();
    }
    expect(noticed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(110);
    expect(noticed).toHaveBeenCalledOnce();
  });

  it('is none when nothing is expected any more', async () => {
    silence.expect(100);
    await vi.advanceTimersByTimeAsync(90);
    silence.stop();
    await vi.advanceTimersByTimeAsync(1000);
    expect(noticed).not.toHaveBeenCalled();
  });

  it('is none where the answer lay there unread', async () => {
    silence.expect(100);
    vi.advanceTimersByTime(100);
    silence.hear();
    await vi.advanceTimersByTimeAsync(50);
    expect(noticed).not.toHaveBeenCalled();
  });
});

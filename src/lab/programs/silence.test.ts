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

  it('is detected after the time limit', async () => {
    silence.expect(100);
    await vi.advanceTimersByTimeAsync(99);
    expect(noticed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10);
    expect(noticed).toHaveBeenCalledExactlyOnceWith(100);
  });

  it('is not detected while there is output in time', async () => {
    silence.expect(100);
    for (let i = 0; i < 10; i++) {
      await vi.advanceTimersByTimeAsync(90);
      silence.hear();
    }
    expect(noticed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(110);
    expect(noticed).toHaveBeenCalledOnce();
  });

  it('is not detected when nothing is expected', async () => {
    silence.expect(100);
    await vi.advanceTimersByTimeAsync(90);
    silence.stop();
    await vi.advanceTimersByTimeAsync(1000);
    expect(noticed).not.toHaveBeenCalled();
  });

  it('is not detected if a reply was waiting unread', async () => {
    silence.expect(100);
    vi.advanceTimersByTime(100);
    silence.hear();
    await vi.advanceTimersByTimeAsync(50);
    expect(noticed).not.toHaveBeenCalled();
  });
});

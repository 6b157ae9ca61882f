import { describe, expect, it } from 'vitest';
import { Live } from './live.ts';

describe('live lines on a terminal', () => {
  function terminal(): { live: Live; written: string[] } {
    const written: string[] = [];
    const write = async (text: string | Uint8Array): Promise<void> => void written.push(String(text));
    return { live: new Live({ stderr: { isTTY: true, columns: 10, write } }), written };
  }

  it('overwrite the previous lines, and are erased at the end', async () => {
    const { live, written } = terminal();
    await live.show(['one', 'two']);
    await live.show(['three']);
    await live.end();
    await live.end();
    expect(written).toEqual([
      'one\u001b[K\ntwo\u001b[K\n\u001b[J',
      '\u001b[2A\rthree\u001b[K\n\u001b[J',
      '\u001b[1A\r\u001b[J',
    ]);
  });

  it('are truncated to the width of the terminal', async () => {
    const { live, written } = terminal();
    await live.show(['0123456789']);
    expect(written[0]).toContain('01234567…\u001b[K\n');
  });
});

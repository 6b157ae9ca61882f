import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventStream } from './event-stream.ts';
import { CutShort } from './faults.ts';
import { piece } from './testing/endpoint.ts';

const place = { entry: 'local', url: 'http://localhost/v1', key: null };

function whole(chunks: readonly (string | Buffer)[]): object {
  const stream = new EventStream(place, 1_000_000, null);
  for (const chunk of chunks) {
    stream.take(Buffer.from(chunk as string));
    if (stream.isDone) break;
  }
  return stream.whole();
}

const event = (data: object | string): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const message = (of: object): unknown => (of as { choices: [{ message: unknown }] }).choices[0].message;

describe('a streamed answer', () => {
  it('is assembled, with its usage and finish reason', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 2 };
    const pieces = [
      piece({ role: 'assistant', content: '' }),
      piece({ reasoning: 'hm' }),
      piece({ content: 'RR' }),
      piece({ content: 'D' }, 'length'),
      { model: 'served-model', choices: [], usage },
    ];
    expect(whole([...pieces.map(event), event('[DONE]')])).toEqual({
      model: 'served-model',
      usage,
      choices: [{ message: { reasoning: 'hm', content: 'RRD' }, finish_reason: 'length' }],
    });
  });

  it('is the same for any chunking and line ends', () => {
    const text = fc.string({ unit: 'binary' }).map((value) => value.toWellFormed());
    const texts = fc.array(text, { minLength: 1, maxLength: 5 });
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 10 });
    fc.assert(
      fc.property(texts, fc.constantFrom('\n', '\r\n', '\r'), cuts, (texts, end, cuts) => {
        const events = [...texts.map((content) => event(piece({ content }))), ': ping\n\n', event(piece({}, 'stop'))];
        const bytes = Buffer.from(`\ufeff\n${events.join('').replaceAll('\n', end)}`);
        const places = [0, ...cuts.map((cut) => Math.floor(cut * bytes.length)).sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((to, i) => bytes.subarray(places[i], to));
        const content = texts.join('');
        expect(message(whole(chunks))).toEqual(content === '' ? {} : { content });
      }),
    );
  });

  it('uses only the first choice', () => {
    const both = {
      choices: [
        { index: 1, delta: { content: 'no' } },
        { index: 0, delta: { content: 'yes' }, finish_reason: 'stop' },
      ],
    };
    expect(message(whole([event(both)]))).toEqual({ content: 'yes' });
  });

  it('separates reasoning from text', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'RRD' },
    ];
    expect(message(whole([event(piece({ content }, 'stop'))]))).toEqual({ content: 'RRD', reasoning: 'hm' });
  });

  it('needs no empty line at its end, but a finish reason', () => {
    expect(message(whole([event(piece({ content: 'a' })), 'data: [DONE]']))).toEqual({ content: 'a' });
    for (const rest of ['', 'data: {"cho', ': ping']) {
      expect(() => whole([event(piece({ content: 'a' })), rest])).toThrow(CutShort);
    }
  });

  it('fails with an error in the middle of the stream', () => {
    const error = { message: 'overloaded', code: 503 };
    expect(whole([event(piece({ content: 'a' })), event({ error })])).toEqual({ error });
  });
});

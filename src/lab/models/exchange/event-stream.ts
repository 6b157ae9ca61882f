// An answer that comes piece by piece, as server-sent events, put together to what it would have been in one piece. Only
// the first choice is of interest: no more than one is ever asked for.
import { StringDecoder } from 'node:string_decoder';
import { parseJson } from '../../../../schemas/json-text.ts';
import { contentOf } from '../content.ts';
import { NotJson } from '../faults/answers.ts';
import { CutShort, TooLarge } from '../faults/connection.ts';
import type { Place } from '../faults/fault.ts';
import { type Fields, fieldsOf, textIn } from '../fields.ts';

/** Texts that are told piece by piece. The content may be thoughts in part. */
const told = ['reasoning', 'reasoning_content', 'refusal'] as const;

export class EventStream {
  bytes = 0;
  readonly #place: Place;
  readonly #most: number;
  readonly #decoder = new StringDecoder('utf8');
  readonly #texts = new Map<string, string[]>();
  /** The pieces of the line that has not ended yet. */
  #begun: string[] = [];
  #data: string[] = [];
  /** How many characters are held: of that line, and of all else. */
  #unended = 0;
  #held = 0;
  /** How many of those are of the answer itself. */
  #told = 0;
  #toolCalls: unknown[] = [];
  #finishReason: unknown = null;
  #model: unknown;
  #usage: unknown;
  #error: unknown;
  #isDone = false;

  constructor(place: Place, most: number) {
    this.#place = place;
    this.#most = most;
  }

  take(chunk: Buffer): 'more' | 'enough' {
    this.bytes += chunk.length;
    const text = this.#decoder.write(chunk);
    this.#unended += text.length;
    this.#begun.push(text);
    if (/[\r\n]/.test(text)) this.#takeLines();
    if (this.#unended + this.#held > this.#most) throw new TooLarge(this.#place, 'answer', this.#most);
    return this.#isDone ? 'enough' : 'more';
  }

  /** A carriage return at the end may be the first half of a line's end. */
  #takeLines(): void {
    const lines = this.#begun.join('').split(/\r\n|\n|\r(?!$)/);
    const rest = lines.pop() ?? '';
    this.#begun = [rest];
    this.#unended = rest.length;
    for (const line of lines) this.#takeLine(line);
  }

  /** Throws CutShort where neither the answer nor the stream came to its end. */
  whole(): object {
    this.#takeRest();
    if (this.#error !== undefined) return { error: this.#error };
    if (!this.#isDone && this.#finishReason === null) throw new CutShort(this.#place, this.bytes);
    const message = Object.fromEntries(Array.from(this.#texts, ([key, pieces]) => [key, pieces.join('')]));
    const calls = this.#toolCalls.length === 0 ? {} : { tool_calls: this.#toolCalls };
    const choice = { message: { ...message, ...calls }, finish_reason: this.#finishReason };
    return { model: this.#model, usage: this.#usage, choices: [choice] };
  }

  /** What no empty line followed. */
  #takeRest(): void {
    try {
      this.#takeLine(this.#begun.join('').trimEnd());
      this.#takeLine('');
    } catch (error) {
      throw error instanceof NotJson ? new CutShort(this.#place, this.bytes, error) : error;
    }
  }

  #takeLine(line: string): void {
    if (line === '') this.#dispatch();
    else if (line.startsWith('data:')) {
      this.#held += line.length;
      this.#data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    }
  }

  #dispatch(): void {
    const data = this.#data.join('\n');
    this.#data = [];
    this.#held = this.#told;
    if (data.trim() === '[DONE]') this.#isDone = true;
    else if (data.trim() !== '') this.#takePiece(fieldsOf(this.#parsed(data)));
  }

  #takePiece(piece: Fields): void {
    this.#model ??= piece['model'];
    this.#error ??= piece['error'];
    if (piece['usage'] !== undefined && piece['usage'] !== null) this.#usage = piece['usage'];
    const choices = Array.isArray(piece['choices']) ? piece['choices'] : [];
    const choice = fieldsOf(choices.find((one) => (fieldsOf(one)['index'] ?? 0) === 0));
    this.#finishReason = choice['finish_reason'] ?? this.#finishReason;
    const delta = fieldsOf(choice['delta'] ?? choice['message']);
    const { text, thoughts } = contentOf(delta['content']);
    this.#add('content', text);
    this.#add('reasoning', thoughts);
    for (const key of told) this.#add(key, textIn(delta[key]));
    if (Array.isArray(delta['tool_calls'])) this.#toolCalls = delta['tool_calls'];
  }

  #add(key: string, text: string | null = null): void {
    if (text === null || text === '') return;
    this.#told += text.length;
    this.#held += text.length;
    const pieces = this.#texts.get(key);
    if (pieces === undefined) this.#texts.set(key, [text]);
    else pieces.push(text);
  }

  #parsed(data: string): unknown {
    try {
      return parseJson(data);
    } catch {
      const begins = data.slice(0, 80);
      throw new NotJson(this.#place, 'a stream of something else', {
        status: 200,
        contentType: 'text/event-stream',
        begins,
      });
    }
  }
}

// Assembles an answer that arrives as server-sent events into a single response. Only the first choice matters, because
// only one is requested.
import { createParser, type ParseError } from 'eventsource-parser';
import { parseJson } from '../../../schemas/json-text.ts';
import { contentOf, type Fields, fieldsOf, textIn } from './answers.ts';
import { CutShort, NotJson, type Place, TooLarge } from './faults.ts';
import { type Secret, scrubbedLine } from './secret.ts';

/** Texts that arrive in pieces. The content may include reasoning. */
const textFields = ['reasoning', 'reasoning_content', 'refusal'] as const;

export class EventStream {
  /** Whether the last piece has arrived; anything after it is ignored. */
  isDone = false;
  readonly #place: Place;
  readonly #secret: Secret | null;
  readonly #most: number;
  readonly #decoder = new TextDecoder();
  readonly #parser;
  #bytes = 0;
  /** The texts so far by field, and their total length. */
  readonly #texts = new Map<string, string[]>();
  #length = 0;
  #toolCalls: unknown[] = [];
  #finishReason: unknown = null;
  #model: unknown;
  #usage: unknown;
  #error: unknown;

  constructor(place: Place, most: number, secret: Secret | null) {
    this.#place = place;
    this.#secret = secret;
    this.#most = most;
    this.#parser = createParser({
      maxBufferSize: most,
      onEvent: ({ data }) => this.#takeEvent(data.trim()),
      onError: ({ type }: ParseError) => {
        if (type === 'max-buffer-size-exceeded') throw new TooLarge(place, 'answer', most);
      },
    });
  }

  /** Throws a ModelFault. */
  take(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
  }

  /** Throws CutShort if both the answer and the stream are incomplete. */
  whole(): object {
    try {
      // The last piece counts even without a final empty line.
      this.#parser.feed(`${this.#decoder.decode()}\n\n`);
    } catch (error) {
      throw error instanceof NotJson ? new CutShort(this.#place, this.#bytes, error) : error;
    }
    if (this.#error !== undefined) return { error: this.#error };
    if (!this.isDone && this.#finishReason === null) throw new CutShort(this.#place, this.#bytes);
    const message = Object.fromEntries(Array.from(this.#texts, ([key, pieces]) => [key, pieces.join('')]));
    const calls = this.#toolCalls.length === 0 ? {} : { tool_calls: this.#toolCalls };
    const choice = { message: { ...message, ...calls }, finish_reason: this.#finishReason };
    return { model: this.#model, usage: this.#usage, choices: [choice] };
  }

  #takeEvent(data: string): void {
    if (data === '[DONE]') this.isDone = true;
    else if (data !== '') this.#takePiece(fieldsOf(this.#parsed(data)));
  }

  #takePiece(piece: Fields): void {
    this.#model ??= piece['model'];
    this.#error ??= piece['error'];
    this.#usage = piece['usage'] ?? this.#usage;
    const choices = Array.isArray(piece['choices']) ? piece['choices'] : [];
    const choice = fieldsOf(choices.find((one) => (fieldsOf(one)['index'] ?? 0) === 0));
    this.#finishReason = choice['finish_reason'] ?? this.#finishReason;
    const delta = fieldsOf(choice['delta'] ?? choice['message']);
    const { text, thoughts } = contentOf(delta['content']);
    this.#add('content', text ?? '');
    this.#add('reasoning', thoughts);
    for (const field of textFields) this.#add(field, textIn(delta[field]) ?? '');
    if (Array.isArray(delta['tool_calls'])) this.#toolCalls = delta['tool_calls'];
  }

  #add(field: string, text: string): void {
    if (text === '') return;
    this.#length += text.length;
    if (this.#length > this.#most) throw new TooLarge(this.#place, 'answer', this.#most);
    const pieces = this.#texts.get(field);
    if (pieces === undefined) this.#texts.set(field, [text]);
    else pieces.push(text);
  }

  #parsed(data: string): unknown {
    try {
      return parseJson(data);
    } catch {
      const begins = scrubbedLine(data.slice(0, 1000), this.#secret).slice(0, 80);
      const found = { status: 200, contentType: 'text/event-stream', begins };
      throw new NotJson(this.#place, 'a stream in another format', found);
    }
  }
}

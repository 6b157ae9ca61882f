// The process in which questions of people run: it has the limits of the command that started it, no secrets in its
// environment, and ends with that command. Questions come over the socket, and answers go back in the format asked for.
import { Socket } from 'node:net';
import { openQuestions } from '../../../projections/query/questions.ts';
import type { Sink } from '../../io.ts';
import { paintFor } from '../../output/paint.ts';
import { writeAnswer } from '../formats/write.ts';
import { framesOf, pieceBytes, sendBytes, sendMessage } from './frames.ts';
import { Guard } from './guard.ts';
import { type Layout, type Reply, type Request, recordOf } from './messages.ts';

/** How often the command hears that this thread is not stuck. */
const aliveMs = 1000;

const command = new Socket({ fd: 3 });
const [, , mostBytes, commandId] = process.argv.map(Number);
const guard = new Guard(mostBytes ?? 0, commandId ?? 0);

async function serve(): Promise<void> {
  for await (const frame of framesOf(command)) {
    if (frame.kind !== 'message') continue;
    guard.begin();
    const alive = setInterval(() => void reply({ reply: 'alive' }), aliveMs);
    const outcome = await outcomeOf(frame.message as Request);
    clearInterval(alive);
    await reply(outcome);
    guard.end();
  }
}

async function outcomeOf(request: Request): Promise<Reply> {
  try {
    const result = await resultOf(request);
    return { reply: 'done', result, residentBytes: process.memoryUsage.rss() };
  } catch (fault) {
    return { reply: 'failed', error: recordOf(fault) };
  }
}

async function resultOf(request: Request): Promise<unknown> {
  const { path: file, filled } = request.tables;
  const questions = await openQuestions(file, request.limits, { filled });
  try {
    if (request.request === 'completions') return await questions.complete(request.text);
    if (request.request === 'parquet') {
      const { sql, path, limit } = request;
      return await questions.writeParquet(sql, path, { limit });
    }
    const out = new Pieces(request.layout);
    const written = await writeAnswer(await questions.ask(request.sql), request.format, {
      ...request.layout,
      out,
      paint: paintFor(out, request.layout.colours ? {} : { NO_COLOR: '1' }),
    });
    await out.flush();
    return written;
  } finally {
    await questions.close();
  }
}

/** Hands the answer on in pieces of a size; what is written at one go goes together. */
class Pieces implements Sink {
  readonly isTTY: boolean;
  readonly columns: number;
  #text = '';
  #isDue = false;
  /** What was sent without anybody waiting for it. */
  #sending: Promise<void> = Promise.resolve();

  constructor({ isTTY, columns }: Layout) {
    this.isTTY = isTTY;
    this.columns = columns;
  }

  async write(piece: string | Uint8Array): Promise<void> {
    await this.#sending;
    if (typeof piece !== 'string') {
      await this.flush();
      for (let from = 0; from < piece.length; from += pieceBytes)
        await sendBytes(command, piece.subarray(from, from + pieceBytes));
      return;
    }
    this.#text += piece;
    if (this.#text.length >= pieceBytes / 4) await this.flush();
    else this.#flushSoon();
  }

  async flush(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    for (let from = 0; from < text.length; ) {
      const to = endOfPiece(text, from + pieceBytes / 4);
      await sendBytes(command, Buffer.from(text.slice(from, to)));
      from = to;
    }
  }

  /** Rows that are there are shown, also where the next ones take long. */
  #flushSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#sending = this.flush();
    });
  }
}

/** No character is cut in two. */
function endOfPiece(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last < 0xdc00 ? end + 1 : end;
}

function reply(message: Reply): Promise<void> {
  return sendMessage(command, message);
}

/** At once, whatever native code still does. There is nothing to tidy up. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

// Ctrl-C goes to all processes of a terminal; what it means is decided by the command.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
command.on('error', end);
command.on('close', end);
await serve();
end();

// The process in which questions of people run: it has the limits of the command that started it, no secrets in its
// environment, and ends with that command. Requests come over Node's channel, and answers go back in the format asked for.
import { flushCompileCache } from 'node:module';
import { paintFor } from '../../../base/paint.ts';
import type { Sink } from '../../../base/sink.ts';
import { openQuestions } from '../../../projections/query/questions.ts';
import { pieceBytes, piecesOf } from '../formats/batches.ts';
import { writeAnswer } from '../formats/write.ts';
import { type Layout, type Reply, type Request, recordOf, taken } from './messages.ts';

/** How often the command hears that this thread is not stuck. */
const aliveMs = 1000;

/** How often this process looks at its memory while a question runs. DuckDB works in threads of its own, so it can. */
const guardedMs = 8;

const mostBytes = Number(process.argv[2]);

/** Pieces that are sent before the first of them is taken: a busy machine takes its time from one process to the other. */
const mostUnderWay = 8;
let underWay = 0;
let onTaken: () => void = () => undefined;

async function serve(request: Request): Promise<void> {
  const guard = setInterval(endIfOver, guardedMs);
  const alive = setInterval(() => void send({ reply: 'alive' }), aliveMs);
  const outcome = await outcomeOf(request);
  clearInterval(alive);
  // Before the answer, as this process is killed once it has given it; only what is new is written.
  flushCompileCache();
  await send(outcome);
  clearInterval(guard);
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
  const { tables, limits } = request;
  const onUnstoppable = (reason: Error): void => void send({ reply: 'failed', error: recordOf(reason) }).then(end);
  const questions = await openQuestions(tables.path, limits, { filled: tables.filled, onUnstoppable });
  try {
    if (request.request === 'completions') return await questions.complete(request.text);
    const answer = await questions.ask(request.sql);
    if (request.request === 'parquet') {
      const { writeParquet } = await import('../formats/csv.ts');
      return await writeParquet(answer, request.path, { ...limits, limit: request.limit });
    }
    const { layout } = request;
    const out = sinkFor(layout);
    const paint = paintFor(out, layout.colours ? {} : { NO_COLOR: '1' });
    const { memoryMegabytes } = limits;
    const written = await writeAnswer(answer, request.format, { ...layout, out, paint, memoryMegabytes });
    await out.flush();
    return written;
  } finally {
    await questions.close();
  }
}

/** Hands the answer on in pieces of a size; what is written at one go goes together. */
function sinkFor({ isTTY, columns }: Layout): Sink & { flush(): Promise<void> } {
  let held: Uint8Array[] = [];
  let bytes = 0;
  let sending: Promise<void> = Promise.resolve();
  const flush = (): Promise<void> => {
    sending = sending.then(async () => {
      const all = Buffer.concat(held);
      [held, bytes] = [[], 0];
      await sendPieces(all);
    });
    return sending;
  };
  const write = async (piece: string | Uint8Array): Promise<void> => {
    const some = typeof piece === 'string' ? Buffer.from(piece) : piece;
    if (bytes === 0) setImmediate(() => void flush());
    held.push(some);
    bytes += some.length;
    if (bytes >= pieceBytes) await flush();
  };
  return { isTTY, columns, write, flush };
}

async function sendPieces(bytes: Uint8Array): Promise<void> {
  for (const piece of piecesOf(bytes)) {
    underWay++;
    await send({ reply: 'bytes', bytes: piece });
    while (underWay >= mostUnderWay)
      await new Promise<void>((resolve) => {
        onTaken = resolve;
      });
  }
}

function send(reply: Reply): Promise<void> {
  return new Promise((resolve) => process.send?.(reply, () => resolve()));
}

/** At once, whatever native code still does: a process that is told to end may still have much to do. There is nothing to tidy
 * up. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

function endIfOver(): void {
  if (process.memoryUsage.rss() > mostBytes) end();
}

// Ctrl-C goes to all processes of a terminal; what it means is decided by the command.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', end);
process.on('message', (message: Request | typeof taken) => {
  if (message !== taken) void serve(message);
  else {
    underWay--;
    onTaken();
  }
});

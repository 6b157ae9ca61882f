// The process that runs users' queries: it has the limits of the parent command, no secrets in its environment, and ends with the
// command. Requests arrive over Node's channel, and answers are returned in the requested format.
import { flushCompileCache } from 'node:module';
import { paintFor } from '../../../base/paint.ts';
import type { Sink } from '../../../base/sink.ts';
import { memoryFault } from '../../../projections/query/faults.ts';
import { openQuestions } from '../../../projections/query/questions.ts';
import { pieceBytes, piecesOf } from '../formats/batches.ts';
import { writeAnswer } from '../formats/write.ts';
import { type Layout, type Reply, type Request, recordOf, taken } from './messages.ts';

/** How often the parent is informed that this thread is not stuck. */
const aliveMs = 1000;

/** How often this process checks its memory while a query runs. DuckDB works in its own threads, so it can. */
const guardedMs = 8;

const maxBytes = Number(process.argv[2]);

/** The number of pieces sent before the first one is acknowledged: busy machines switch slowly between processes. */
const maxUnderWay = 8;
let underWay = 0;
let onTaken: () => void = () => undefined;

async function serve(request: Request): Promise<void> {
  const guard = setInterval(endIfOver, guardedMs);
  const alive = setInterval(() => void send({ reply: 'alive' }), aliveMs);
  const outcome = await outcomeOf(request);
  clearInterval(alive);
  // Before the answer, because the process may be killed after it. Only new entries are written.
  flushCompileCache();
  await send(outcome);
  clearInterval(guard);
}

async function outcomeOf(request: Request): Promise<Reply> {
  try {
    const result = await resultOf(request);
    return { reply: 'done', result, residentBytes: process.memoryUsage.rss() };
  } catch (fault) {
    return { reply: 'failed', error: recordOf(memoryFault(fault, request.limits.memoryMegabytes)) };
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

/** Sends the answer in pieces of a fixed size; one flush sends them together. */
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
    while (underWay >= maxUnderWay)
      await new Promise<void>((resolve) => {
        onTaken = resolve;
      });
  }
}

function send(reply: Reply): Promise<void> {
  return new Promise((resolve) => process.send?.(reply, () => resolve()));
}

/** Immediately, whatever native code still does: a normal exit could take long. There is nothing to clean up. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

function endIfOver(): void {
  if (process.memoryUsage.rss() > maxBytes) end();
}

// Ctrl-C reaches all processes of a terminal; the parent command handles it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', end);
process.on('message', (message: Request | typeof taken) => {
  if (message !== taken) void serve(message);
  else {
    underWay--;
    onTaken();
  }
});

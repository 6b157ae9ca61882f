// Bodies of requests: their type, and limits of size, of decompression and of waiting.
import { Readable, Transform } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { RequestRefused } from './errors.ts';
import type { BodyForm } from './route.ts';
import { streams } from './routes/ingest.ts';

export interface BodyLimits {
  /** Of a body that is not a stream of lines, after decompression. */
  readonly maxBytes: number;
  /** The longest pause of a client that sends. */
  readonly idleMs: number;
}

export interface Body {
  readonly bytes: Readable;
  /** Whether it is a stream of lines, of any length. */
  readonly isStream: boolean;
  /** Why it could not be read to its end. */
  fault: unknown;
}

/** Of a stream of lines: more than any text reaches, and only above a size that matters. */
const mostExpansion = 200;
const expansionMattersFrom = 64 * 1024 * 1024;

/** Checks the headers; the limits apply while the body is read. */
export function bodyOf(request: Request, form: BodyForm, limits: BodyLimits): Body {
  const media = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (!form.media.includes(media))
    throw new RequestRefused(
      415,
      'bad-input',
      `Content-Type: found ${JSON.stringify(media)}, allowed: ${form.media.join(', ')}`,
      {
        facts: { field: 'Content-Type', found: media, allowed: form.media },
      },
    );
  const isStream = streams.includes(media);
  const length = Number(request.headers.get('content-length') ?? 0);
  if (!isStream && length > limits.maxBytes) throw tooLarge(limits.maxBytes);
  const decoder = decoderOf(request.headers.get('content-encoding'));
  const received = new Counter();
  const unpacked = decoder === null ? received : new Counter();
  const counting = (counter: Counter): Transform =>
    new Transform({
      transform(chunk: Uint8Array, _, done) {
        counter.bytes += chunk.byteLength;
        const isBomb = unpacked.bytes > expansionMattersFrom && unpacked.bytes > received.bytes * mostExpansion;
        if (!isStream && unpacked.bytes > limits.maxBytes) done(tooLarge(limits.maxBytes));
        else if (isBomb) done(new RequestRefused(413, 'bad-input', 'the body expands more than 200 times'));
        else done(null, chunk);
      },
    });
  const steps = decoder === null ? [counting(received)] : [counting(received), decoder, counting(unpacked)];
  let end = withPatience(request.body, isStream ? limits.idleMs * 10 : limits.idleMs);
  for (const step of steps) {
    const before = end;
    before.on('error', (fault) => step.destroy(before === decoder ? asDecoded(fault) : fault));
    step.on('close', () => before.destroy());
    end = before.pipe(step);
  }
  const body: Body = { bytes: end, isStream, fault: null };
  end.on('error', (fault) => {
    body.fault = fault;
  });
  return body;
}

class Counter {
  bytes = 0;
}

function decoderOf(encoding: string | null): Transform | null {
  switch (encoding?.trim().toLowerCase() ?? 'identity') {
    case 'identity':
      return null;
    case 'gzip':
      return createGunzip();
    case 'zstd':
      return createZstdDecompress();
    default:
      throw new RequestRefused(
        415,
        'bad-input',
        `Content-Encoding: found ${JSON.stringify(encoding)}, allowed: gzip, zstd`,
        {
          facts: { field: 'Content-Encoding', found: encoding, allowed: ['identity', 'gzip', 'zstd'] },
          headers: { 'accept-encoding': 'gzip, zstd' },
        },
      );
  }
}

function asDecoded(fault: Error): Error {
  if (fault instanceof RequestRefused) return fault;
  return new RequestRefused(400, 'bad-input', `the body is not compressed as Content-Encoding says (${fault.message})`);
}

/** Fails when a piece takes too long to come. The time in which pieces wait here does not count. */
function withPatience(sent: Request['body'], idleMs: number): Readable {
  return Readable.from(pieces(sent, idleMs), { objectMode: false });
}

async function* pieces(sent: Request['body'], idleMs: number): AsyncGenerator<Uint8Array, void, undefined> {
  if (sent === null) return;
  const reader = sent.getReader();
  try {
    for (;;) {
      const late = Promise.withResolvers<never>();
      const what = `nothing of the body came for ${idleMs / 1000} s`;
      const timer = setTimeout(() => late.reject(new RequestRefused(408, 'unavailable', what)), idleMs);
      try {
        const next = await Promise.race([reader.read(), late.promise]);
        if (next.done) return;
        yield next.value;
      } finally {
        clearTimeout(timer);
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** The whole body as text. */
export async function textOf({ bytes }: Body): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece as Uint8Array);
  return Buffer.concat(pieces).toString('utf8');
}

function tooLarge(most: number): RequestRefused {
  return new RequestRefused(413, 'bad-input', `the body has more than ${most} bytes`, {
    facts: { allowed: most },
    remedy: 'Send events as application/x-ndjson, which may have any length.',
  });
}

// Splits the data of a connection to a Kafka broker into requests and answers: each is preceded by its length.

const lengthBytes = 4;

/** With their lengths, unchanged. */
export async function* framesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  // Until then there is nothing to do; joining the chunks each time would take quadratic time for a large frame.
  let wanted = lengthBytes;
  for await (const piece of bytes) {
    held.push(piece);
    heldBytes += piece.length;
    if (heldBytes < wanted) continue;
    let rest = Buffer.concat(held);
    for (wanted = frameBytes(rest); rest.length >= wanted; wanted = frameBytes(rest)) {
      yield rest.subarray(0, wanted);
      rest = rest.subarray(wanted);
    }
    held = [rest];
    heldBytes = rest.length;
  }
}

/** The size of the frame that begins here; if unknown yet, the bytes needed to determine it. */
function frameBytes(start: Buffer): number {
  return start.length < lengthBytes ? lengthBytes : lengthBytes + start.readInt32BE(0);
}

/** The kind of a request, and the number that its answer will have. */
export function headOfRequest(frame: Buffer): { readonly api: number; readonly number: number } {
  return { api: frame.readInt16BE(4), number: frame.readInt32BE(8) };
}

export function numberOfAnswer(frame: Buffer): number {
  return frame.readInt32BE(4);
}

const invalidProducerEpoch = 47;

/** Changes an answer to a produce request (versions before 9) to say that the producer was fenced in its first partition. */
export function fenceAnswer(frame: Buffer): void {
  const topicName = 12;
  const errorCode = topicName + 2 + frame.readInt16BE(topicName) + 8;
  frame.writeInt16BE(invalidProducerEpoch, errorCode);
}

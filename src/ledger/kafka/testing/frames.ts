// What goes over a connection to a Kafka broker, cut into requests and answers: each is preceded by its length.

const lengthBytes = 4;

/** With their lengths, as they came. */
export async function* framesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  // Until then there is nothing to do; joining what came at each piece would cost the square of a large frame.
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

/** Of the frame that begins here; where even that cannot be told yet, what is needed to tell. */
function frameBytes(start: Buffer): number {
  return start.length < lengthBytes ? lengthBytes : lengthBytes + start.readInt32BE(0);
}

/** What a request asks for, and the number its answer will bear. */
export function headOfRequest(frame: Buffer): { readonly api: number; readonly number: number } {
  return { api: frame.readInt16BE(4), number: frame.readInt32BE(8) };
}

export function numberOfAnswer(frame: Buffer): number {
  return frame.readInt32BE(4);
}

const invalidProducerEpoch = 47;

/** Of an answer to a request to produce, of versions before 9, says of its first partition that the producer was fenced. */
export function fenceAnswer(frame: Buffer): void {
  const topicName = 12;
  const errorCode = topicName + 2 + frame.readInt16BE(topicName) + 8;
  frame.writeInt16BE(invalidProducerEpoch, errorCode);
}

// Checks whether a broker answers, in its own protocol: it opens its port before it can serve, so a connection alone proves nothing.
import { once } from 'node:events';
import { connect } from 'node:net';

const metadata = 3;
const answersWithinMs = 2000;

/** The number of brokers that the one at this port knows, including itself; 0 if it does not answer. */
export async function brokersKnownAt(port: number): Promise<number> {
  const socket = connect(port, '127.0.0.1').setTimeout(answersWithinMs, () => socket.destroy());
  try {
    await once(socket, 'connect');
    socket.write(requestForNoTopics());
    let answer = Buffer.alloc(0);
    for await (const piece of socket) {
      answer = Buffer.concat([answer, piece]);
      // After the length and the number of the request comes the list of brokers, with its own length.
      if (answer.length >= 12) return answer.readInt32BE(8);
    }
    return 0;
  } catch {
    return 0;
  } finally {
    socket.destroy();
  }
}

/** Length, kind, version 1, a correlation number, no client name, a list of no topics. */
function requestForNoTopics(): Buffer {
  const request = Buffer.alloc(18);
  request.writeInt32BE(request.length - 4, 0);
  request.writeInt16BE(metadata, 4);
  request.writeInt16BE(1, 6);
  request.writeInt32BE(1, 8);
  request.writeInt16BE(-1, 12);
  return request;
}

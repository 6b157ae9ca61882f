// The connections of the server, which tests can cut: one by one, or all of them with their port.
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

export class Connections {
  readonly #accept: (socket: Socket) => void;
  readonly #open = new Map<string, Socket>();
  #listener: Server | null = null;

  constructor(accept: (socket: Socket) => void) {
    this.#accept = accept;
  }

  /** Port 0 means any free one; returns the actual port. */
  async listen(port: number): Promise<number> {
    const listener = createServer({ noDelay: true }, (socket) => this.#received(socket));
    listener.listen(port, '127.0.0.1');
    await once(listener, 'listening');
    this.#listener = listener;
    const address = listener.address();
    if (address === null || typeof address === 'string') throw new Error('the test server has no port');
    return address.port;
  }

  cut(peer: string): void {
    this.#open.get(peer)?.destroy();
  }

  cutAll(): void {
    for (const socket of this.#open.values()) socket.destroy();
  }

  async close(): Promise<void> {
    const listener = this.#listener;
    if (listener === null) return;
    this.#listener = null;
    const closed = once(listener, 'close');
    listener.close();
    this.cutAll();
    await closed;
  }

  #received(socket: Socket): void {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    this.#open.set(peer, socket);
    socket.on('close', () => this.#open.delete(peer));
    // A client that disconnects in the middle must not crash the server.
    socket.on('error', () => {});
    this.#accept(socket);
  }
}

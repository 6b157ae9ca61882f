// The server for tests in a process of its own, so that what it takes is not taken from those who are measured.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Server {
  /** `host:port`. */
  readonly address: string;
  stop(): Promise<void>;
}

const tool = new URL('../../tools/eventstore-server.ts', import.meta.url).pathname;

export async function startServer(): Promise<Server> {
  const child = spawn(process.execPath, [tool, '--port', '0'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { url: string };
  return {
    address: new URL(url).host,
    stop: async () => {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

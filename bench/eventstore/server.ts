// The test server in a separate process, so that its work does not affect the measured process.
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

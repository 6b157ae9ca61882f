// The time until the prompt appears on a real terminal, which Python's pty module provides.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const program = fileURLToPath(new URL('../../bin/icecore.cjs', import.meta.url));

/** Starts a program on a terminal, and prints the milliseconds until its prompt. */
const watching = `
import os, pty, sys, time
begun = time.monotonic()
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
seen = b""
while b"icecore> " not in seen:
    seen += os.read(terminal, 4096)
print((time.monotonic() - begun) * 1000)
os.write(terminal, b"\\x04")
os.waitpid(pid, 0)
`;

export async function promptMilliseconds(ledger: string): Promise<number> {
  const words = ['-c', watching, process.execPath, program, 'sql', '--ledger', ledger];
  const { stdout } = await promisify(execFile)('python3', words);
  return Number(stdout);
}

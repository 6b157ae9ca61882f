// How the process starts in which questions run: with what the operating system can limit, and with an environment that says
// where and in which language it runs, and nothing else.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { sibling } from '../../../base/sibling.ts';

const mebibyte = 2 ** 20;

/** What Node and DuckDB take before the first question, and what an answer takes on its way into a format. */
const ownMegabytes = 240;

/** Of that, what is no code read from files. */
const ownDataMegabytes = 160;

/** Where libraries and folders are, and how texts, numbers and times are written: names of variables that hold no secret. */
const passedOn =
  /^(?:TZ|TZDIR|LANG|LANGUAGE|LC_[A-Z]+|TMPDIR|TEMP|TMP|SYSTEMROOT|WINDIR|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH)$/i;

/** Its socket is the file descriptor 3. */
export function startProcess(memoryMegabytes: number): ChildProcess {
  const program = fileURLToPath(sibling('child', import.meta.url));
  const mostBytes = (memoryMegabytes + ownMegabytes) * mebibyte;
  const node = [process.execPath, `--max-old-space-size=${memoryMegabytes}`, program, mostBytes, process.pid].map(
    String,
  );
  const [command = '', ...args] = limited(node, memoryMegabytes);
  return spawn(command, args, {
    env: environment(),
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
}

function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => passedOn.test(name));
  const cache = getCompileCacheDir();
  return { ...Object.fromEntries(kept), ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }) };
}

const shell = '/bin/sh';

/** No more data, no dumps of a process that dies, and the first to go where the machine runs out of memory. Elsewhere than on
 * Linux, the system does not limit what a process allocates: there its guard alone does. */
function limited(node: readonly string[], memoryMegabytes: number): readonly string[] {
  if (process.platform !== 'linux' || !existsSync(shell)) return node;
  const most = mostDataKilobytes(memoryMegabytes);
  const steps = `ulimit -c 0; ulimit -d ${most}; echo 1000 2>/dev/null >/proc/self/oom_score_adj; exec "$@"`;
  return [shell, '-c', steps, 'sh', ...node];
}

/** Node reserves much more than it uses. This process is a Node, too, so it says how much that is. */
function mostDataKilobytes(memoryMegabytes: number): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  const reserved = Math.max(0, kilobytes('VmData') - kilobytes('RssAnon'));
  return reserved + (memoryMegabytes + ownDataMegabytes + availableParallelism() * threadMegabytes) * 1024;
}

/** A thread of DuckDB reserves a stack. */
const threadMegabytes = 8;

// The software and hardware of a run: icecore's version, its commit in a clone, the libraries and the machine.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { RunFacts } from '../../producers/run/steps/bounds.ts';
import { icecoreVersion } from '../version.ts';

const run = promisify(execFile);

export async function runtimeInfo(): Promise<RunFacts> {
  const { node, v8, sqlite } = process.versions;
  const processors = cpus();
  return {
    code: { version: icecoreVersion(), ...(await loadedCommit()) },
    measured: {
      libraries: { node, v8, ...(sqlite === undefined ? {} : { sqlite }) },
      host: {
        platform: process.platform,
        arch: process.arch,
        cores: processors.length,
        processor: processors[0]?.model ?? 'unknown',
        memoryBytes: totalmem(),
      },
    },
  };
}

interface Commit {
  readonly commit?: string;
  readonly modified?: boolean;
}

let loaded: Promise<Commit> | undefined;

/** Looked up once: this process keeps the code that it has loaded. */
function loadedCommit(): Promise<Commit> {
  loaded ??= commit();
  return loaded;
}

/** Empty if icecore is installed as a package, or without git. */
async function commit(): Promise<Commit> {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  if (!existsSync(`${root}.git`)) return {};
  try {
    // Prevents git from refreshing the index of the clone.
    const git = async (...words: string[]): Promise<string> =>
      (await run('git', ['--no-optional-locks', '-C', root, ...words])).stdout.trim();
    const [head, changed] = await Promise.all([git('rev-parse', 'HEAD'), git('status', '--porcelain', '-uno')]);
    return { commit: head, modified: changed !== '' };
  } catch {
    return {};
  }
}

// Executes notebooks as users do: copied next to a ledger, Python with Jupyter's client, JavaScript in Node. ICECORE_TEST_PYTHON names a Python with
// the packages of docs/notebooks.md; by default that is .cache/python/bin/python3 or python3.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { folder, isInPython, type Notebook, notebookIn } from './notebook.ts';

const bin = fileURLToPath(new URL('../../bin/icecore.cjs', import.meta.url));
const installed = fileURLToPath(new URL('../../.cache/python/bin/python3', import.meta.url));
const python = process.env['ICECORE_TEST_PYTHON'] ?? (existsSync(installed) ? installed : 'python3');
const packages = ['duckdb', 'polars', 'pyarrow', 'matplotlib', 'nbclient', 'ipykernel'];

/** Why Python notebooks cannot be executed here; null if they can. */
export function whyNotInPython(): string | null {
  const { status } = spawnSync(python, [
    '-c',
    `import importlib.util as u; [exit(1) for n in ${JSON.stringify(packages)} if not u.find_spec(n)]`,
  ]);
  if (status === 0) return null;
  const all = packages.join(' ');
  return (
    `${python} lacks some of ${all}. Run \`python3 -m venv .cache/python && .cache/python/bin/pip install ${all}\`, ` +
    'or set ICECORE_TEST_PYTHON.'
  );
}

/** Executes the notebook in place, writes its outputs into it, and returns it; throws the error of a failing cell. */
export async function executed(path: string, variables: Readonly<Record<string, string>> = {}): Promise<Notebook> {
  const env = { ...surroundings(), ICECORE: `'${process.execPath}' '${bin}'`, ...variables };
  const [command, ...words] = isInPython(notebookIn(path))
    ? ([python, '-c', 'from nbclient.cli import main; main()', '--inplace', path] as const)
    : ([process.execPath, join(folder, 'run.mjs'), path, '--save', path] as const);
  await promisify(execFile)(command, words, { cwd: dirname(path), env });
  return notebookIn(path);
}

/** Without variables that would lead icecore elsewhere. */
function surroundings(): NodeJS.ProcessEnv {
  const {
    ICECORE_WORKSPACE: _,
    ICECORE_LEDGER: __,
    ICECORE_TABLES: ___,
    ICECORE_SNAPSHOT: ____,
    ...rest
  } = process.env;
  return rest;
}

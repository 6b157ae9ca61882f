// The environment that programs get. A program that this user typed gets the environment of icecore without the secrets of
// icecore itself; a program that somebody else's ledger names gets only what it needs to find its libraries, its devices
// and its place in a cluster. `--env` adds variables to both.
import { IcecoreError } from '../../../schemas/errors.ts';
import { variablesOfBlobs } from '../../ledger/blobs/open.ts';
import { blobsUrl } from '../blobs.ts';
import { findConfig, modelsIn } from '../config.ts';
import type { Context } from '../context.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whose choice a program is: the user's own, or that of whoever wrote the ledger. */
export type Origin = 'own' | 'ledger';

const allowedNames: readonly string[] = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'PWD', 'TMPDIR', 'TMP', 'TEMP', 'TZ', 'TERM'],
  ...['LANG', 'LANGUAGE', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'VIRTUAL_ENV', 'CONDA_PREFIX', 'CONDA_DEFAULT_ENV'],
  ...['PYTHONPATH', 'PYTHONHOME', 'PYTHONUNBUFFERED', 'PYTHONDONTWRITEBYTECODE', 'PYTHONHASHSEED'],
  ...['MASTER_ADDR', 'MASTER_PORT', 'RANK', 'LOCAL_RANK', 'WORLD_SIZE', 'LOCAL_WORLD_SIZE'],
  ...['SystemRoot', 'SYSTEMROOT', 'PATHEXT', 'COMSPEC', 'USERPROFILE'],
];
const allowedPrefixes = ['LC_', 'CUDA_', 'NVIDIA_', 'NCCL_', 'ROCR_', 'HIP_', 'OMP_', 'MKL_', 'OPENBLAS_', 'SLURM_'];

/** Never by its prefix alone: `SLURM_JWT` is a key to the whole cluster. */
const secretName = /JWT|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|_KEY$|APIKEY/i;

/** What a program gets. `added`: variables that the user named with `--env`. */
export function programEnvironment(
  environment: Environment,
  origin: Origin,
  secrets: ReadonlySet<string>,
  added: readonly string[],
): Readonly<Record<string, string>> {
  const passes = (name: string): boolean => {
    if (added.includes(name)) return true;
    if (isSecretOfIcecore(name, environment) || secrets.has(name)) return false;
    return origin === 'own' || isAllowed(name);
  };
  const passed = Object.entries(environment).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && passes(pair[0]),
  );
  return Object.fromEntries(passed);
}

function isAllowed(name: string): boolean {
  if (allowedNames.includes(name)) return true;
  return allowedPrefixes.some((prefix) => name.startsWith(prefix)) && !secretName.test(name);
}

function isSecretOfIcecore(name: string, environment: Environment): boolean {
  if (!name.startsWith('ICECORE_')) return false;
  // A URL may have a password in it.
  return secretName.test(name) || /:\/\/[^/\s]*@/.test(environment[name] ?? '');
}

/** The variables that hold the keys of the models and the blobs of this workspace. */
export function secretVariables(context: Pick<Context, 'io' | 'flags'>): ReadonlySet<string> {
  const keys = [...modelsIn(findConfig(context.io)).values()].flatMap(({ key }) => key ?? []);
  const { required, optional } = variablesOfBlobs(blobsUrl(context));
  return new Set([...keys, ...required, ...optional]);
}

/** `--env A,B --env C`. */
export function variableNames(typed: readonly string[] = []): readonly string[] {
  const names = typed.flatMap((text) => text.split(',')).map((name) => name.trim());
  const wrong = names.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (wrong === undefined) return names;
  throw new IcecoreError('usage', `--env: found "${wrong}", allowed: names of environment variables`, {
    facts: { field: '--env', found: wrong },
    remedy: 'Name variables without their values: --env WANDB_API_KEY,HF_HOME',
  });
}

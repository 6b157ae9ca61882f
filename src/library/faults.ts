// Faults of any kind as errors of icecore, and these as JSON.
import { IcecoreError } from '../../schemas/errors.ts';

/** The error as programs see it. */
export function errorObject({ kind, message, facts }: IcecoreError, remedy: string): Record<string, unknown> {
  return { kind, message, ...(remedy === '' ? {} : { remedy }), ...facts };
}

/** An error of icecore itself, or what a fault of the operating system or of icecore's code means for its user. */
export function icecoreErrorOf(fault: unknown): IcecoreError {
  if (fault instanceof IcecoreError) return fault;
  return systemFault(fault) ?? internalFault(fault);
}

/** The same fault, as an error of icecore if it is the operating system's. */
export function ofSystem(fault: unknown): unknown {
  return fault instanceof IcecoreError ? fault : (systemFault(fault) ?? fault);
}

/** A refusal of the operating system is about a file of the user, and no bug of icecore. */
function systemFault(fault: unknown): IcecoreError | null {
  const { code, path, syscall } = (fault ?? {}) as NodeJS.ErrnoException;
  const known = systemFaults[code ?? ''];
  if (known === undefined) return null;
  const where = path ?? syscall ?? 'a file';
  return new IcecoreError(known.kind, `${where}: ${known.what}`, {
    facts: { path: where, code },
    remedy: known.remedy,
    cause: fault,
  });
}

const permissions = 'Check its owner and permissions, or name another place.';
const space = 'Free some space and run the same again.';

const systemFaults: Readonly<Record<string, { kind: 'not-found' | 'storage'; what: string; remedy: string }>> = {
  ENOENT: { kind: 'not-found', what: 'there is no such file or folder', remedy: 'Check the path.' },
  ENOTDIR: { kind: 'not-found', what: 'a part of the path is not a folder', remedy: 'Check the path.' },
  EISDIR: { kind: 'storage', what: 'this is a folder', remedy: 'Name a file.' },
  EEXIST: {
    kind: 'storage',
    what: 'something else has this name already',
    remedy: 'Move it away or name another place.',
  },
  EACCES: { kind: 'storage', what: 'permission denied', remedy: permissions },
  EPERM: { kind: 'storage', what: 'permission denied', remedy: permissions },
  EROFS: { kind: 'storage', what: 'the file system is read-only', remedy: 'Name another place.' },
  ENOSPC: { kind: 'storage', what: 'the disk is full', remedy: space },
  EDQUOT: { kind: 'storage', what: 'the disk quota is used up', remedy: space },
  EIO: { kind: 'storage', what: 'the disk reports an error', remedy: 'Check the disk.' },
};

function internalFault(fault: unknown): IcecoreError {
  const said = fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault);
  return new IcecoreError('internal', `something went wrong inside icecore (${said})`, {
    remedy: 'Please report it, with what ICECORE_DEBUG=1 adds.',
    cause: fault,
  });
}

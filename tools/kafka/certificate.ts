// The self-signed certificate of test brokers, which names this machine. Made once with Java's own tool.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kept } from './jars.ts';

const place = join(kept, 'certificate');

/** With its key, for the broker. */
export const keystore = join(place, 'keystore.p12');
/** Alone, for clients that trust it. */
export const certificate = join(place, 'certificate.pem');
export const keystorePassword = 'changeit';

const run = promisify(execFile);

export async function makeCertificate(): Promise<void> {
  if (existsSync(place)) return;
  const folder = mkdtempSync(join(kept, 'certifying-'));
  const store = ['-keystore', join(folder, 'keystore.p12'), '-storepass', keystorePassword, '-alias', 'broker'];
  const whose = ['-dname', 'CN=localhost', '-ext', 'SAN=ip:127.0.0.1,dns:localhost'];
  const lasting = ['-keyalg', 'EC', '-validity', '36500'];
  try {
    await run('keytool', ['-genkeypair', ...store, ...whose, ...lasting, '-storetype', 'PKCS12']);
    await run('keytool', ['-exportcert', '-rfc', ...store, '-file', join(folder, 'certificate.pem')]);
    moveInto(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Another process may have been faster; its result is equivalent. */
function moveInto(folder: string): void {
  try {
    renameSync(folder, place);
  } catch (error) {
    if (!existsSync(place)) throw error;
  }
}

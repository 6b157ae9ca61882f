// Tests use a temporary folder for user settings, so that they never read or change those of the user who runs them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

if (process.env['ICECORE_TEST_USER'] === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-user-'));
  process.env['ICECORE_TEST_USER'] = folder;
  process.env['XDG_CONFIG_HOME'] = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}

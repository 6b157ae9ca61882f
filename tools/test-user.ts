// Tests keep what a user decides in a folder of their own: none reads or changes the settings of whoever runs them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

if (process.env['ICECORE_TEST_USER'] === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-user-'));
  process.env['ICECORE_TEST_USER'] = folder;
  process.env['XDG_CONFIG_HOME'] = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}

// Moves a password from a URL into the environment of this process and its children, before the URL is shown, stored or
// passed on.
import { IcecoreError } from '../../../schemas/errors.ts';
import { driverOf, type LedgerUrl, storesOf, textOf } from '../../ledger/stores.ts';

/** Throws if the environment has another password. */
export function takePasswords(url: LedgerUrl, env: NodeJS.ProcessEnv = process.env): void {
  for (const store of storesOf(url)) {
    const password = driverOf(store).password(store);
    if (password === null) continue;
    const { variable, value } = password;
    const known = env[variable];
    if (known && known !== value) {
      const url = textOf(store);
      throw new IcecoreError('usage', `the URL ${url} has another password than ${variable}`, {
        facts: { url, variable },
        remedy: 'Set it in one place only; avoid the URL if others can see your command line.',
      });
    }
    env[variable] = value;
  }
}

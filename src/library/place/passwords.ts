// A password that stands in a URL is taken out of it before the URL is shown, kept or handed on, and put where it is looked for
// otherwise: into the environment of this process and of those that it starts.
import { IcecoreError } from '../../../schemas/errors.ts';
import { driverOf, type LedgerUrl, storesOf, textOf } from '../../ledger/stores.ts';

/** Throws where the environment has another one. */
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
        remedy: 'Say it in one place only, and not in the URL where others may see what is typed.',
      });
    }
    env[variable] = value;
  }
}

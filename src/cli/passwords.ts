// A password that stands in a URL is taken out of it before the URL is shown, kept or handed on, and put where it is looked for
// otherwise: into the environment of this process and of those that it starts.
import { IcecoreError } from '../../schemas/errors.ts';
import { type LedgerUrl, storesOf } from '../ledger/url.ts';

const variable = 'ICECORE_EVENTSTORE_PASSWORD';

/** Throws where the environment has another one. */
export function takePasswords(url: LedgerUrl, env: NodeJS.ProcessEnv = process.env): void {
  for (const store of storesOf(url)) {
    if (store.scheme !== 'esdb' || store.place.password === null) continue;
    const known = env[variable];
    if (known && known !== store.place.password) {
      throw new IcecoreError('usage', `the URL ${store.url} has another password than ${variable}`, {
        facts: { url: store.url, variable },
        remedy: 'Say it in one place only, and not in the URL where others may see what is typed.',
      });
    }
    env[variable] = store.place.password;
  }
}

// Passwords in ledger URLs are used and never shown.
import { expect, it } from 'vitest';
import { parseLedgerUrl, textOf } from '../../ledger/stores.ts';
import { takePasswords } from './passwords.ts';

const taken = (url: string, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => {
  takePasswords(parseLedgerUrl(url), env);
  return env;
};

it('a password in the URL of a ledger, or of one of its stores, goes into the environment', () => {
  for (const url of ['esdb://ada:s3cret@h/lab', 'split:esdb://ada:s3cret@h/lab+sqlite:e.db']) {
    expect(taken(url)).toEqual({ ICECORE_EVENTSTORE_PASSWORD: 's3cret' });
    expect(textOf(parseLedgerUrl(url))).not.toContain('s3cret');
  }
});

it('a URL without a password changes nothing', () => {
  expect(taken('esdb://ada@h/lab', { ICECORE_EVENTSTORE_PASSWORD: 'other' })).toEqual({
    ICECORE_EVENTSTORE_PASSWORD: 'other',
  });
  expect(taken('sqlite:x.db')).toEqual({});
});

it('a password other than the one in the environment is refused and not shown', () => {
  const refused = (): unknown => taken('esdb://ada:s3cret@h/lab', { ICECORE_EVENTSTORE_PASSWORD: '0ther' });
  expect(refused).toThrow(/has another password/);
  expect(refused).not.toThrow(/s3cret|0ther/);
});

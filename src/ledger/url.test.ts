import { describe, expect, it } from 'vitest';
import { absolute, filesOf, parseLedgerUrl, textOf } from './url.ts';

describe('the URL of a ledger', () => {
  it.each([
    'sqlite:a.db',
    'sqlite:/data/a+b.db',
    'sqlite:///data/a.db',
    'sqlite:.icecore/what#is?this.db',
    'kafka://localhost:9092/lab?compression=gzip',
    'split:sqlite:a.db+sqlite:b.db',
    'split:sqlite:a+b.db+kafka://one:9092,two:9092/lab?compression=gzip',
    'split:kafka://localhost:9092/decisions+sqlite:evidence.db',
  ])('%s is understood, and written as it was', (url) => {
    expect(textOf(parseLedgerUrl(url))).toBe(url);
  });

  it('of a split ledger names the decisions first, then the evidence', () => {
    expect(parseLedgerUrl('split:sqlite:a+b.db+sqlite:c+d.db')).toEqual({
      scheme: 'split',
      decisions: { scheme: 'sqlite', path: 'a+b.db' },
      evidence: { scheme: 'sqlite', path: 'c+d.db' },
    });
  });

  it.each([
    ['nothing', '', 'is not the URL of a ledger'],
    ['a path alone', 'ledger.db', 'is not the URL of a ledger'],
    ['a store that nobody knows', 'postgres:a', 'is not the URL of a ledger'],
    ['a scheme alone', 'sqlite:', 'is not the URL of a ledger'],
    ['a host of a file', 'sqlite://ledger.db', 'has no host'],
    ['settings of a file', 'sqlite:a.db?mode=ro', 'a SQLite file takes no settings, found "?mode=ro"'],
    ['one part', 'split:sqlite:a.db', 'it has to name two ledgers'],
    ['three parts', 'split:sqlite:a.db+sqlite:b.db+sqlite:c.db', 'it names more than two ledgers'],
    ['a split part', 'split:split:sqlite:a.db+sqlite:b.db', 'a part of a split ledger is no split ledger itself'],
    ['a part that is none', 'split:a.db+sqlite:b.db', 'is not the URL of a ledger'],
    ['a user in it', 'split:sqlite:a.db+kafka://ada:secret@localhost:9092/lab', 'a user in the URL'],
  ])('with %s is refused', (_, url, message) => {
    expect(() => parseLedgerUrl(url)).toThrow(message);
    expect(() => parseLedgerUrl(url)).not.toThrow('secret');
  });

  it('means the same from every folder once its paths are absolute', () => {
    const here = absolute(parseLedgerUrl('split:sqlite:a.db+sqlite:/data/b.db'), '/home/ada');
    expect(textOf(here)).toBe('split:sqlite:/home/ada/a.db+sqlite:/data/b.db');
    expect(filesOf(here)).toEqual(['/home/ada/a.db', '/data/b.db']);
    const served = parseLedgerUrl('kafka://localhost:9092/lab');
    expect(absolute(served, '/home/ada')).toEqual(served);
    expect(filesOf(served)).toEqual([]);
  });
});

describe('certificates that a URL names', () => {
  it.each([
    ['esdb://h/lab?ca=ca.pem&patience=2', 'ca=/w/ca.pem&patience=2'],
    ['kafka://h:9092/lab?tls=true&c%61=../a%20b+c.pem', 'tls=true&ca=/a%20b%20c.pem'],
    ['kafka://h:9092/lab?tls=true&ca=/etc/ca.pem', 'tls=true&ca=/etc/ca.pem'],
  ])('are meant from the folder of whoever wrote it: %s', (url, query) => {
    const text = textOf(absolute(parseLedgerUrl(url), '/w'));
    expect(text.slice(text.indexOf('?') + 1)).toBe(query);
    const again = parseLedgerUrl(text);
    expect(again).toEqual(absolute(parseLedgerUrl(url), '/w'));
  });
});

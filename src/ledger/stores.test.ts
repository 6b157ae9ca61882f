import { describe, expect, it } from 'vitest';
import { absolute, filesOf, parseLedgerUrl, textOf } from './stores.ts';

describe('the URL of a ledger', () => {
  it.each([
    'sqlite:a.db',
    'sqlite:/data/a+b.db',
    'sqlite:///data/a.db',
    'sqlite:.icecore/what#is?this.db',
    'esdb://localhost/lab?tls=false',
    'split:sqlite:a.db+kafka://localhost:9092/lab?compression=gzip',
    'split:sqlite:a.db+sqlite:b.db',
    'split:sqlite:a+b.db+kafka://one:9092,two:9092/lab?compression=gzip',
    'split:esdb+discover://localhost/decisions+sqlite:evidence.db',
  ])('%s is parsed, and formatted unchanged', (url) => {
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
    ['an unknown store', 'postgres:a', 'is not the URL of a ledger'],
    ['a scheme alone', 'sqlite:', 'is not the URL of a ledger'],
    ['a host of a file', 'sqlite://ledger.db', 'has no host'],
    ['settings of a file', 'sqlite:a.db?mode=ro', 'a SQLite file has no settings, found "?mode=ro"'],
    ['one part', 'split:sqlite:a.db', 'it must name two ledgers'],
    ['three parts', 'split:sqlite:a.db+sqlite:b.db+sqlite:c.db', 'it names more than two ledgers'],
    ['a split part', 'split:split:sqlite:a.db+sqlite:b.db', 'a part of a split ledger cannot be a split ledger itself'],
    ['an invalid part', 'split:a.db+sqlite:b.db', 'is not the URL of a ledger'],
    ['a user in it', 'split:sqlite:a.db+kafka://ada:secret@localhost:9092/lab', 'a user in the URL'],
  ])('with %s is refused', (_, url, message) => {
    expect(() => parseLedgerUrl(url)).toThrow(message);
    expect(() => parseLedgerUrl(url)).not.toThrow('secret');
  });

  it.each([
    'kafka://localhost:9092/lab',
    'split:kafka://localhost:9092/lab+sqlite:a.db',
    'split:kafka://localhost:9092/lab+esdb://ada:secret@localhost/lab',
  ])('allows Kafka only for evidence: %s', (url) => {
    const refusal = {
      name: 'BadLedgerUrl',
      kind: 'usage',
      message: expect.stringContaining('kafka stores only the evidence of a ledger'),
      remedy: expect.stringContaining('Write split:DECISIONS+kafka://HOST:PORT/PREFIX, for example '),
    };
    expect(() => parseLedgerUrl(url)).toThrow(expect.objectContaining(refusal));
    expect(() => parseLedgerUrl(url)).not.toThrow('secret');
  });

  it.each([
    'postgres://ada:secret@localhost/lab',
    'ESDB://ada:secret@localhost/lab',
    'eventstore:/ada:x@secret@localhost/lab',
    'postgres://localhost/lab?password=secret',
    'split:sqlite:a.db+amqp://ada:secret@localhost/lab',
  ])('is refused without repeating a secret: %s', (url) => {
    const refusal = {
      message: expect.not.stringContaining('secret'),
      facts: expect.not.objectContaining({ url: expect.stringContaining('secret') }),
    };
    expect(() => parseLedgerUrl(url)).toThrow(expect.objectContaining(refusal));
  });

  it('is refused with an example of every store', () => {
    for (const form of ['sqlite:PATH', 'esdb://HOST:PORT/PREFIX', 'split:DECISIONS+EVIDENCE'])
      expect(() => parseLedgerUrl('what?')).toThrow(expect.objectContaining({ remedy: expect.stringContaining(form) }));
  });

  it('means the same in every folder once its paths are absolute', () => {
    const here = absolute(parseLedgerUrl('split:sqlite:a.db+sqlite:/data/b.db'), '/users/ada');
    expect(textOf(here)).toBe('split:sqlite:/users/ada/a.db+sqlite:/data/b.db');
    expect(filesOf(here)).toEqual(['/users/ada/a.db', '/data/b.db']);
    const served = parseLedgerUrl('esdb://localhost/lab');
    expect(absolute(served, '/users/ada')).toEqual(served);
    expect(filesOf(served)).toEqual([]);
  });
});

describe('certificates in a URL', () => {
  it.each([
    ['esdb://h/lab?ca=ca.pem&patience=2', 'ca=/w/ca.pem&patience=2'],
    ['split:sqlite:/a.db+kafka://h:9092/lab?tls=true&c%61=../a%20b+c.pem', 'tls=true&ca=/a%20b%20c.pem'],
    ['split:sqlite:/a.db+kafka://h:9092/lab?tls=true&ca=/etc/ca.pem', 'tls=true&ca=/etc/ca.pem'],
  ])('are resolved against the folder of its file: %s', (url, query) => {
    const text = textOf(absolute(parseLedgerUrl(url), '/w'));
    expect(text.slice(text.indexOf('?') + 1)).toBe(query);
    const again = parseLedgerUrl(text);
    expect(again).toEqual(absolute(parseLedgerUrl(url), '/w'));
  });
});

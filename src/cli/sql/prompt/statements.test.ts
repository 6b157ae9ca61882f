import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { read } from './statements.ts';

const statements = (text: string): readonly string[] => read(text).pieces.map((piece) => piece.text);

describe('an SQL text', () => {
  it('has no rest after its last semicolon but blanks and comments', () => {
    expect(read('select 1; -- done').rest).toBe('');
    expect(read('select 1;\n/* done */ ').rest).toBe('');
    expect(read('select 1; select').rest).toBe('select');
    expect(read('select 1 -- ;').rest).toBe('select 1 -- ;');
    expect(read(' \n').rest).toBe('');
  });

  it.each([
    ["'a;", "'"],
    ["'it''s;", "'"],
    ["'a'';", "'"],
    ["e'\\';", "'"],
    ["E'\\\\\\';", "'"],
    ['"a;', '"'],
    ['"a"";', '"'],
    ['$$;', '$'],
    ['$$;$', '$'],
    ['$tag$;$$;', '$'],
    ['/*;', '*'],
    ['/* /* */;', '*'],
    ['(', ' '],
  ])('does not end at the semicolon in %s', (open, mark) => {
    const reading = read(`select ${open}\n`);
    expect(reading).toMatchObject({ pieces: [], rest: `select ${open}`.trim(), open: mark });
  });

  it.each([
    "'\\';",
    "'a''';",
    "E'\\\\';",
    "E'''';",
    '"a""";',
    '$$$;$$;',
    '$a$ $b$ $a$;',
    'a$$;',
    '1e;',
    '/* /* */ */;',
    "xe'\\';",
  ])('ends after select %s', (closed) => {
    expect(read(`select ${closed}`)).toMatchObject({ pieces: [{ text: `select ${closed}` }], rest: '' });
  });

  it('has commands between its statements, one per line', () => {
    expect(read('.tables\nselect .5\n.tables;\n .schema runs\nexit\n\\d').pieces).toEqual([
      { kind: 'command', text: '.tables' },
      { kind: 'statement', text: 'select .5\n.tables;' },
      { kind: 'command', text: '.schema runs' },
      { kind: 'command', text: 'exit' },
      { kind: 'command', text: '\\d' },
    ]);
    expect(statements('explain select 1;exit')).toEqual(['explain select 1;', 'exit']);
    expect(read('exit_code').pieces).toEqual([]);
    expect(read('help me').rest).toBe('help me');
  });

  it('may be a literal or comment of megabytes', () => {
    const long = 'x'.repeat(1e6);
    for (const said of [`'${long}''${long}'`, `e'${long}\\'${long}'`, `"${long}"`, `/*${long}*/ 1`, `-- ${long}\n1`]) {
      expect(statements(`select ${said};`)).toHaveLength(1);
    }
  });
});

/** Expressions in which a semicolon does not end the statement, or that look like the start of one. */
const literal = fc.oneof(
  fc.string().map((text) => `'${text.replace(/[\0']/g, "''")}'`),
  fc
    .string()
    .map((text) => `E'${text.replace(/[\0\\']/g, (character) => (character === '\0' ? '' : `\\${character}`))}'`),
  fc.stringMatching(/^[a-z;$'"]+$/).map((text) => `1 AS "${text.replaceAll('"', '""')}"`),
  fc
    .tuple(fc.constantFrom('', 'a', 'tag_1'), fc.stringMatching(/^[a-z;'"\n -]*$/))
    .map(([tag, text]) => `$${tag}$${text}$${tag}$`),
  fc.stringMatching(/^[a-z;'"$ -]*$/).map((text) => `1 -- ${text}\n`),
  fc.stringMatching(/^[a-z;'"$\n -]*$/).map((text) => `/* ${text} /* ${text} */ */ 1`),
  fc.constantFrom('1', '.5', '1 AS a$b', "'a' || 'b'", 'x.y', '7 - -1', '6 / 3 * 2'),
);

describe('consecutive statements', () => {
  const several = fc.array(
    literal.map((said) => `select ${said};`),
    { minLength: 1, maxLength: 5 },
  );

  it('are split as DuckDB splits them', async () => {
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    const property = fc.asyncProperty(several, async (all) => {
      const { count } = await connection.extractStatements(all.join(' '));
      expect(read(all.join(' '))).toMatchObject({ pieces: { length: count }, rest: '' });
    });
    await fc.assert(property, { numRuns: 300 });
    instance.closeSync();
  });

  it('are split into the original statements and an unfinished rest', () => {
    fc.assert(
      fc.property(several, (all) => {
        expect(statements(all.join(' '))).toEqual(all);
        const unfinished = `${all.join('')} select 1`;
        expect(read(unfinished)).toMatchObject({ pieces: { length: all.length }, rest: 'select 1' });
      }),
    );
  });

  it('are incomplete if cut anywhere before the semicolon', () => {
    fc.assert(
      fc.property(literal, fc.double({ min: 0, max: 1, noNaN: true }), (said, share) => {
        const text = `select ${said}`;
        const cut = text.slice(0, 1 + Math.floor(share * (text.length - 1)));
        const { pieces, rest } = read(cut);
        expect({ pieces, rest }).toEqual({ pieces: [], rest: cut.trim() });
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { commandOf } from './command-line.ts';
import { optionGroups } from './help.ts';
import { commands } from './testing/commands.ts';

const grouped = await Promise.all(
  commands.all.map(async ({ name, summary, load }) => ({ name, summary, module: await load() })),
);

describe('the options of a command with many', () => {
  it.each(grouped.filter(({ module }) => module.headings !== undefined))(
    'are each under one heading: $name',
    ({ name, summary, module }) => {
      const names = Object.values(module.headings ?? {}).flat();
      expect(names.toSorted()).toEqual(Object.keys(module.options).toSorted());
      const help = commandOf({ name, summary }, module).helpInformation();
      const places = Object.keys(module.headings ?? {}).map((heading) => help.indexOf(`\n${heading}:\n`));
      expect(places).toEqual(places.toSorted((one, other) => one - other));
      expect(places).not.toContain(-1);
      expect(help).not.toContain('\nOptions:\n');
      expect(help.indexOf('\nOptions of every command:\n')).toBeGreaterThan(Math.max(...places));
    },
  );

  it('have headings if there are more than 20', () => {
    const many = grouped.filter(({ module }) => Object.keys(module.options).length > 20).map(({ name }) => name);
    const headed = grouped.filter(({ module }) => module.headings !== undefined).map(({ name }) => name);
    expect(headed).toEqual(expect.arrayContaining(many));
    expect(headed).toContain('ablate');
  });

  it('without a heading come first', () => {
    const [option, other] = ['a', 'b'].map((describe) => ({ usage: `--${describe}`, describe, type: null, more: {} }));
    if (option === undefined || other === undefined) return expect.fail();
    expect(optionGroups({ options: { a: option, b: other }, headings: { 'How it runs': ['a'] } })).toEqual([
      { heading: null, options: [other] },
      { heading: 'How it runs', options: [option] },
    ]);
  });
});

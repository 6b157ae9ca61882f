import { describe, expect, it } from 'vitest';
import { commands } from '../src/cli/testing/commands.ts';
import { outputSchemas, staleOutputSchemas } from './output-schemas.ts';

/** It prints bytes as they are, and refuses --json. */
const withoutJson = 'blob get';

describe('the published schemas of --json', () => {
  it('are fresh', () => {
    expect(staleOutputSchemas()).toEqual([]);
  });

  it('cover every command', () => {
    const published = [...outputSchemas().keys()];
    const names = commands.all.map(({ name }) => name).filter((name) => name !== withoutJson);
    expect(names.filter((name) => !published.includes(`${name.replace(' ', '-')}.json`))).toEqual([]);
  });
});

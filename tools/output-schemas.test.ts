import { describe, expect, it } from 'vitest';
import { commands } from '../src/cli/testing/commands.ts';
import { outputSchemas, staleOutputSchemas } from './output-schemas.ts';

/** It prints raw bytes, and refuses --json. */
const withoutJson = 'blob get';

describe('the published schemas of --json', () => {
  it('are up to date', () => {
    expect(staleOutputSchemas()).toEqual([]);
  });

  it('cover every command', () => {
    const published = [...outputSchemas().keys()];
    const names = commands.all.map(({ name }) => name).filter((name) => name !== withoutJson);
    expect(names.filter((name) => !published.includes(`${name.replace(' ', '-')}.json`))).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { commands } from '../src/cli/manifest.ts';
import { outputSchemas, staleOutputSchemas } from './output-schemas.ts';

describe('the published schemas of --json', () => {
  it('are fresh', () => {
    expect(staleOutputSchemas()).toEqual([]);
  });

  it('cover every command', () => {
    const published = [...outputSchemas().keys()];
    expect(commands.map(({ name }) => `${name}.json`).filter((name) => !published.includes(name))).toEqual([]);
  });
});

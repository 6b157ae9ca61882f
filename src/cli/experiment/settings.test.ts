// What is filled in where nothing was asked for.
import { expect, it } from 'vitest';
import { openLake } from '../../lab/lake/environment.ts';
import { settingsFrom } from './settings.ts';

it('suites whose names every run has for its own are not among those that nobody asked for', () => {
  const lake = openLake();
  const [suite] = lake.suites;
  if (suite === undefined) throw new Error('the lake has suites');
  const suites = ['validation', 'one', 'held-back', 'two', 'three', 'four'].map((name) => ({ ...suite, name }));
  expect(settingsFrom({}, { ...lake, suites }, 'mine').suites).toEqual(['one', 'two', 'three']);
  expect(settingsFrom({ suites: ['validation'] }, { ...lake, suites }, 'mine').suites).toEqual(['validation']);
});

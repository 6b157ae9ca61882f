import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { recipes } from '../src/library/sql/recipes.ts';
import { page, pageSql, questionsIn, recipeOf } from './cookbook.ts';

const questions = questionsIn(readFileSync(page, 'utf8'));

it('docs/sql.md has every recipe of `icecore sql --recipe`, in order', () => {
  expect(questions.map(({ sql }) => recipeOf(sql)?.name)).toEqual(recipes.map(({ name }) => name));
});

it.each(questions)('$title is the recipe: after a change, npm run cookbook updates the page', ({ title, sql }) => {
  const recipe = recipeOf(sql);
  if (recipe === undefined) throw new Error('its first line names no recipe');
  expect(title.replace(/^\d+\. /, '')).toBe(recipe.question);
  expect(sql).toBe(pageSql(recipe, sql));
});

// `icecore sql --recipe`: the questions of docs/sql.md by name.
import { table } from '../../document/layout.ts';
import { type RunReference, runReference } from '../../library/reference.ts';
import { askedRecipe, isAboutOneRun, listedRecipes, recipes } from '../../library/sql/recipes.ts';
import type { Context } from '../context.ts';

/** The SQL of a recipe; its question and its columns are explained in messages. */
export async function recipeSqlFor(context: Context, name: string, typed: string | undefined): Promise<string> {
  const reference: RunReference | null = typed === undefined ? null : runReference(typed);
  const { question, columns, sql } = await askedRecipe(context.session, name, reference);
  await context.say(question);
  await context.say(columns);
  return sql;
}

/** All recipes with their questions. */
export async function listRecipes(context: Context): Promise<number> {
  if (context.flags.json) {
    await context.printJson(listedRecipes());
    return 0;
  }
  const columns = [
    { title: 'recipe', paint: context.paint.bold },
    { title: 'about' },
    { title: 'question', wraps: true as const },
  ];
  const cells = recipes.map((one) => [one.name, isAboutOneRun(one) ? 'one run' : 'all runs', one.question]);
  await context.print(table(columns, cells, context.io.stdout));
  return 0;
}

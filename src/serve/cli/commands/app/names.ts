import { type Application, parseSelector } from '#base/model';
import { applications } from '#serve/api';
import { ExitError, usageExitCode } from '../../io.ts';
import { nameOf } from '../../output/words.ts';
import type { Session } from '../../session/session.ts';

export type ChosenFlags = { selector?: string; project?: string[]; appNamespace?: string };

/** compat server §8.4: the applications that are named, or those that a selector or projects choose. */
export async function chosenNames(
  session: Session,
  names: readonly string[],
  { selector, project: projects, appNamespace }: ChosenFlags,
): Promise<readonly string[]> {
  if (!selector && !projects) {
    if (names.length > 0) return names;
    throw new ExitError(usageExitCode, 'name an application, or choose some with -l <labels>');
  }
  if (names.length > 0)
    throw new ExitError(usageExitCode, 'name applications, or choose them with -l or --project, not both');
  if (selector) parseSelector(selector);
  const { items } = await session.call(applications.list, { query: { selector, projects, appNamespace } });
  if (items.length > 0) return items.map((app: Application) => nameOf(app));
  throw new ExitError(
    20,
    `no application matches ${[selector, ...(projects ?? [])].filter(Boolean).join(', ')}`,
  );
}

import { type Application, effectiveSources, projectName, qualifiedName } from '#base/model';
import { FairleadError } from '#base/std';

/** [+] server §2.6: a part of a list that is sorted by namespace and name. */
export type Page = {
  readonly limit: number;
  /** The namespace and name after which the page begins. */
  readonly after: string;
};

const refuse = (message: string): FairleadError => new FairleadError('InvalidSpec', message);

/** Undefined: the whole list. */
export function pageIn(query: URLSearchParams): Page | undefined {
  const [limit, token] = [query.get('fairlead.limit') ?? '', query.get('fairlead.continue') ?? ''];
  if (limit === '' && token === '') return undefined;
  if (limit !== '' && !/^[1-9]\d{0,8}$/.test(limit))
    throw refuse(`fairlead.limit: ${limit} is no number of applications`);
  const after = token === '' ? '' : Buffer.from(token, 'base64url').toString('utf8');
  if (token !== '' && continueAfter(after) !== token)
    throw refuse('fairlead.continue is not from a list: start again without it');
  return { limit: limit === '' ? Number.POSITIVE_INFINITY : Number(limit), after };
}

/** The token of the page after this name. It holds no state of the server: objects that come and go move no page. */
export const continueAfter = (name: string): string => Buffer.from(name).toString('base64url');

/** [+] server §2.6: every word is part of the name, project, a label, a repository or the destination, in any case. */
export function searchIn(query: URLSearchParams): (app: Application) => boolean {
  const words = (query.get('fairlead.search') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return () => true;
  return (app) => {
    const text = textOf(app).toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

function textOf(app: Application): string {
  const { destination } = app.spec;
  const labels = Object.entries(app.metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  const sources = effectiveSources(app.spec).map(
    ({ repoURL, chart = '', path = '' }) => `${repoURL} ${chart} ${path}`,
  );
  const { server = '', name = '', namespace = '' } = destination ?? {};
  return [qualifiedName(app), projectName(app), ...labels, ...sources, server, name, namespace].join('\n');
}

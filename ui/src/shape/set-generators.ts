import { type LabelSelector, looseSelectorOf, printSelector, type SetGenerator } from '#base/model';
import { repoName } from './revision.ts';

/** A generator for users: `every cluster with env=prod`, `folders apps/* of git.example.com/shop/deploy`. */
export function inWords(generator: SetGenerator): string {
  const { selector } = generator;
  const texts = Object.entries(wordings).flatMap(([kind, words]) => {
    const settings = generator[kind as keyof typeof wordings];
    return settings ? [words(settings as never)] : [];
  });
  const text = texts.join(' and ') || 'a generator of no known kind';
  const filter = selectorText(selector);
  return filter ? `${text}, where ${filter}` : text;
}

type Kinds = Omit<Required<SetGenerator>, 'selector'>;

const wordings: { readonly [Kind in keyof Kinds]: (settings: Kinds[Kind]) => string } = {
  list: ({ elements, elementsYaml }) =>
    elementsYaml ? 'a list made by a template' : `a list of ${elements?.length ?? 0}`,
  clusters: ({ selector, flatList }) => {
    const filter = selectorText(selector);
    const which = filter ? `clusters with ${filter}` : 'every cluster';
    return flatList ? `${which}, together` : which;
  },
  git: ({ repoURL, directories, files, revision }) => {
    const kind = files?.length ? 'files' : 'folders';
    const paths = (files?.length ? files : (directories ?? [])).filter(({ exclude }) => !exclude);
    const [first, ...others] = paths.map(({ path }) => path);
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    const at = revision && revision !== 'HEAD' ? ` at ${revision}` : '';
    return `${kind}${first ? ` ${first}${more}` : ''} of ${repoName(repoURL ?? '')}${at}`;
  },
  scmProvider: (settings) => `repositories of ${providerText(settings)}`,
  pullRequest: (settings) => `pull requests of ${providerText(settings)}`,
  clusterDecisionResource: ({ configMapRef, name }) => `clusters chosen by ${name || configMapRef}`,
  matrix: ({ generators = [] }) => generators.map(inWords).join(' × ') || 'a matrix of nothing',
  merge: ({ generators = [], mergeKeys = [] }) =>
    `${generators.map(inWords).join(' merged with ')} by ${mergeKeys.join(', ') || 'no key'}`,
  plugin: ({ configMapRef }) => `plugin ${configMapRef?.name ?? ''}`.trimEnd(),
};

const providers: ReadonlyMap<string, string> = new Map([
  ['github', 'GitHub'],
  ['gitlab', 'GitLab'],
  ['gitea', 'Gitea'],
  ['bitbucket', 'Bitbucket'],
  ['bitbucketServer', 'Bitbucket Server'],
  ['azureDevOps', 'Azure DevOps'],
  ['azuredevops', 'Azure DevOps'],
  ['awsCodeCommit', 'AWS CodeCommit'],
]);
const owners = ['organization', 'group', 'project', 'owner', 'region'];
const repositories = ['repo', 'repositoryName', 'repository'];

/** `GitHub shop/deploy`, with as much as its settings have. */
function providerText(settings: object): string {
  const [kind, own] = Object.entries(settings).find(([key]) => providers.has(key)) ?? [];
  if (!kind) return 'no known provider';
  const named = (names: readonly string[]) => names.map((name) => own?.[name]).find(isText);
  const path = [named(owners), named(repositories)].filter(isText).join('/');
  return `${providers.get(kind)}${path ? ` ${path}` : ''}`;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** As kubectl writes a selector; empty for one that selects everything. */
export function selectorText(selector: LabelSelector | undefined): string {
  try {
    return printSelector(looseSelectorOf(selector));
  } catch {
    return 'a selector that cannot be read'; // the set's own condition says why
  }
}

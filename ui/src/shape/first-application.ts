import { type Application, argoApiVersion, inClusterServer } from '#base/model';

/** The form of a first application. */
export type FirstApplication = { readonly name: string; readonly repo: string; readonly path: string };

export const firstDraft: FirstApplication = { name: 'guestbook', repo: '', path: 'guestbook' };

/** The three commands that do the same as the button. */
export function commandsFor({ name, repo, path }: FirstApplication, server: string): string[] {
  const create = [
    `fairlead app create ${quoted(name || 'guestbook')}`,
    `--repo ${quoted(repo || 'https://github.com/you/deploy.git')}`,
    `--path ${quoted(path || '.')}`,
    `--dest-server ${inClusterServer}`,
    '--dest-namespace default',
  ];
  return [
    `fairlead login ${server}`,
    create.join(' \\\n  '),
    `fairlead app sync ${quoted(name || 'guestbook')}`,
  ];
}

/** Why the button cannot be pressed yet; undefined: it can. */
export function whyNotYet({ name, repo }: FirstApplication): string | undefined {
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name))
    return 'Give it a name of small letters, digits and dashes.';
  return repo.trim() === '' ? 'Say which Git repository to track.' : undefined;
}

export function applicationFor({ name, repo, path }: FirstApplication): Application {
  return {
    apiVersion: argoApiVersion,
    kind: 'Application',
    metadata: { name },
    spec: {
      project: 'default',
      source: { repoURL: repo.trim(), path: path.trim() || '.', targetRevision: 'HEAD' },
      destination: { server: inClusterServer, namespace: 'default' },
      syncPolicy: { syncOptions: ['CreateNamespace=true'] },
    },
  };
}

/** For a shell: plain where it may be, else in single quotes. */
const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

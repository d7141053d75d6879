import { type AppProject, repositoryKind, type Source } from '#base/model';
import { denialGlob, glob } from '../glob.ts';

/**
 * How a source's commits must be signed. `head` checks the revision itself, `strict` its history too;
 * `unusable` fails every check, because a mistake in a policy must not switch it off.
 */
export type IntegrityRule =
  | { readonly mode: 'head' | 'strict'; readonly keys: readonly string[] }
  | { readonly mode: 'unusable'; readonly why: string };

type GitPolicy = NonNullable<NonNullable<AppProject['spec']['sourceIntegrity']>['git']>['policies'];
type OnePolicy = NonNullable<GitPolicy>[number];

/** compat engine P-19: what a project demands of one source; undefined when it demands nothing. */
export function integrityOf(project: AppProject, source: Source): IntegrityRule | undefined {
  if (repositoryKind(source) !== 'git') return undefined;
  const fitting = policiesOf(project).filter((policy) => covers(policy, source.repoURL));
  const [policy, ...more] = fitting;
  if (!policy) return undefined;
  if (more.length > 0) {
    return unusable(
      `${fitting.length} policies of project ${project.metadata.name} cover ${source.repoURL}; ` +
        'write their repos in spec.sourceIntegrity.git.policies so that one does',
    );
  }
  return ruleOf(policy, project);
}

/** compat engine P-19: the old list of keys is one policy for everything, and counts only where no new one is written. */
function policiesOf({ spec }: AppProject): readonly OnePolicy[] {
  if (spec.sourceIntegrity?.git) return spec.sourceIntegrity.git.policies ?? [];
  const keys = (spec.signatureKeys ?? []).map(({ keyID }) => keyID);
  return keys.length > 0 ? [{ repos: [{ url: '*' }], gpg: { mode: 'head', keys } }] : [];
}

/** To be covered means to be checked, so here it is the exceptions that must be readable. */
function covers({ repos = [] }: OnePolicy, url: string): boolean {
  const isDenied = repos.some(({ url: pattern }) => pattern.startsWith('!') && glob(pattern.slice(1), url));
  return !isDenied && repos.some(({ url: pattern }) => !pattern.startsWith('!') && denialGlob(pattern, url));
}

function ruleOf({ gpg }: OnePolicy, project: AppProject): IntegrityRule | undefined {
  if (!gpg || gpg.mode === 'none') return undefined;
  if (gpg.mode === 'head' || gpg.mode === 'strict') return { mode: gpg.mode, keys: gpg.keys ?? [] };
  return unusable(
    `a policy in spec.sourceIntegrity of project ${project.metadata.name} has the mode "${gpg.mode ?? ''}"; ` +
      'write none, head or strict',
  );
}

const unusable = (why: string): IntegrityRule => ({ mode: 'unusable', why });

/**
 * compat engine P-19: local manifests cannot be verified, so they are rejected where a commit would be
 * checked.
 */
export function denyLocalManifests(project: AppProject, sources: readonly Source[]): string | undefined {
  const covered = sources.find((source) => integrityOf(project, source) !== undefined);
  if (!covered) return undefined;
  return (
    `project ${project.metadata.name} demands signed commits of ${covered.repoURL}, ` +
    'so local manifests cannot be used; sync from Git'
  );
}

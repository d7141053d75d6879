import { FairleadError } from '#base/std';
import { parseAll } from '#lang/yaml';
import { emptyPolicy, joinPolicies, type ParsedPolicy, parsePolicy, type RbacPolicy } from './policy.ts';
import type { MatchMode } from './policy-index.ts';

/**
 * The content of argocd-rbac-cm. `problems` are about values that were not used; the last valid ones apply
 * instead.
 */
export type RbacConfig = {
  readonly policy: RbacPolicy;
  readonly defaultRole: string;
  /** The claims whose values count as groups. */
  readonly scopes: readonly string[];
  readonly matchMode: MatchMode;
  readonly problems: readonly RbacProblem[];
};

/** The problem and its location: the key of the ConfigMap, and the line in it where there is one. */
export type RbacProblem = { readonly key: string; readonly line?: number; readonly message: string };

export const defaultRbac: RbacConfig = {
  policy: emptyPolicy,
  defaultRole: '',
  scopes: ['groups'],
  matchMode: 'glob',
  problems: [],
};

/** compat server §5.3: reads the data of argocd-rbac-cm. A line or list that cannot be read keeps what was before. */
export function readRbacConfig(
  data: Readonly<Record<string, string>> = {},
  previous: RbacConfig = defaultRbac,
): RbacConfig {
  const problems: RbacProblem[] = [];
  const policies = policyKeys(data).map((key) => parsePolicy(data[key] ?? '', key));
  problems.push(...policies.flatMap(problemsOf));
  const policy = problems.length === 0 ? joinPolicies(policies) : previous.policy;
  const scopes = readScopes(data.scopes, problems) ?? previous.scopes;
  return {
    policy,
    scopes,
    defaultRole: data['policy.default'] ?? '',
    matchMode: readMode(data['policy.matchMode'], problems),
    problems,
  };
}

/** compat: policy.csv first, then every policy.<any>.csv in the order of their names. */
function policyKeys(data: Readonly<Record<string, string>>): readonly string[] {
  const overlays = Object.keys(data).filter((key) => /^policy\..+\.csv$/.test(key));
  return [...('policy.csv' in data ? ['policy.csv'] : []), ...overlays.toSorted()];
}

const problemsOf = ({ problems }: ParsedPolicy): RbacProblem[] =>
  problems.map(({ source, line, message }) => ({ key: source, line, message }));

function readScopes(text: string | undefined, problems: RbacProblem[]): readonly string[] | undefined {
  if (text === undefined || text.trim() === '') return defaultRbac.scopes;
  const scopes = yamlList(text);
  if (!scopes)
    problems.push({ key: 'scopes', message: 'must be a list of claims, such as "[groups, email]"' });
  return scopes;
}

function yamlList(text: string): readonly string[] | undefined {
  try {
    const value = parseAll(text, { name: 'scopes' })[0]?.value;
    return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
  } catch (error) {
    if (error instanceof FairleadError) return undefined;
    throw error;
  }
}

/** compat: any value but regex means glob. */
function readMode(mode = 'glob', problems: RbacProblem[]): MatchMode {
  if (mode === 'regex') return 'regex';
  if (mode !== 'glob' && mode !== '') {
    problems.push({
      key: 'policy.matchMode',
      message: `is "${mode}", which is read as glob; write glob or regex`,
    });
  }
  return 'glob';
}

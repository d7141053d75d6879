import { compileRegex } from '#lang/regex';
import type { AppProject } from '#model';
import { FairleadError } from '#std';
import { glob } from '../glob.ts';

/** compat A-3: whether applications of a namespace are looked at at all. */
export const isApplicationNamespace = (
  namespace: string,
  controlPlane: string,
  enabled: readonly string[],
): boolean => namespace === controlPlane || matchesAny(enabled, namespace);

/** compat P-23: applications outside the control plane's namespace need to be let in by their project. */
export function denyNamespace(
  project: AppProject,
  namespace: string,
  controlPlane: string,
): string | undefined {
  if (namespace === controlPlane || matchesAny(project.spec.sourceNamespaces ?? [], namespace))
    return undefined;
  return (
    `project ${project.metadata.name} does not permit applications in namespace ${namespace}; ` +
    'add it to spec.sourceNamespaces'
  );
}

/** compat A-3, P-23: globs, and regular expressions between slashes, which match anywhere. */
const matchesAny = (patterns: readonly string[], namespace: string): boolean =>
  patterns.some((pattern) => {
    const expression = expressionIn(pattern);
    return expression === undefined ? glob(pattern, namespace) : matchesExpression(expression, namespace);
  });

const expressionIn = (pattern: string): string | undefined => /^\/(.+)\/$/s.exec(pattern)?.[1];

/** An expression nobody can read lets nobody in; namespaceProblems() tells of it. */
function matchesExpression(expression: string, namespace: string): boolean {
  try {
    return compileRegex(expression).test(namespace);
  } catch (error) {
    if (error instanceof FairleadError) return false;
    throw error;
  }
}

/** What is wrong with a list of namespaces, entry by entry. */
export function namespaceProblems(patterns: readonly string[] = []): string[] {
  return patterns.flatMap((pattern) => {
    const expression = expressionIn(pattern);
    if (expression === undefined) return [];
    try {
      compileRegex(expression);
      return [];
    } catch (error) {
      return [`the entry ${pattern} cannot be used: ${FairleadError.from(error).message}`];
    }
  });
}
